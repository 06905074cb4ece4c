// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKit
import CredKitTestSupport
import CredKitTesting
import Foundation
import XCTest

@testable import CredKitKeychain

/// The store with each real keyring: `script/test-keyrings` runs these tests.
final class KeyringDaemonTests: StoreTestCase {
    private static let silent = PromptPolicy(timeout: .seconds(30))

    private func removeAll(_ store: any CredentialStore) async throws {
        for item in try await store.search([:]) { _ = try await store.delete(item.key) }
    }

    func testStorePassesTheCommonSuite() async throws {
        let daemon = try KeyringDaemon()
        // KeePassXC deletes in a prompt, which shows a dialog unless its settings say otherwise, as here.
        let store = PartlyPromptingStore(silent: daemon.store(policy: Self.silent), prompting: daemon.store())
        var suite = CredentialStoreSuite {
            store.mayPrompt.value = true
            for item in try await store.search([:]) { _ = try await store.delete(item.key) }
            store.mayPrompt.value = false
            return store
        }
        // KWallet and gnome-keyring have no place for it, and KeePassXC none for that of a text.
        suite.savesContentTypes = false
        suite.unlockWithoutPrompt = { _ in
            try await daemon.unlock()
            // KeePassXC may report a collection that was unlocked soon after it was locked as locked once more. Unlocking
            // it again needs no dialog.
            store.mayPrompt.value = daemon.kind == .keepassxc
        }
        try await suite.run()
    }

    func testPromptIsGrantedDeniedOrIgnored() async throws {
        let daemon = try KeyringDaemon()
        let store = daemon.store()
        try await removeAll(store)
        try await store.set(credential(key("a"), "x"))
        try await store.lock()
        let silent = daemon.store(policy: Self.silent)
        let item = key("a")
        let forbidden = await thrown { _ = try await silent.credential(for: item) }
        XCTAssertEqual(forbidden, .locked)
        // gnome-keyring's dialog is a separate program, which is not installed.
        if daemon.kind != .gnome {
            let denied = await thrown { try await daemon.answering("deny") { try await store.unlock() } }
            XCTAssertEqual(denied, .dismissed)
            var policy = PromptPolicy(mode: .desktop, timeout: .seconds(30))
            policy.promptTimeout = .milliseconds(700)
            let impatient = daemon.store(policy: policy)
            let ignored = await thrown { try await impatient.unlock() }
            XCTAssertEqual(ignored, .timedOut)
            try await daemon.closeDialogs()
        }
        let isLocked = try await store.status().collection?.isLocked
        XCTAssertEqual(isLocked, true)
        try await daemon.unlock()
        try await assertSecret("x", key("a"), silent)
    }

    func testItemsOfOtherProgramsAreFound() async throws {
        let daemon = try KeyringDaemon()
        let store = daemon.store()
        try await removeAll(store)
        let script = """
            import secretstorage
            collection = secretstorage.get_default_collection(secretstorage.dbus_init())
            collection.create_item("only", {"xdg:schema": "org.example.Only"}, b"1")
            collection.create_item("more", {"service": "s", "username": "a", "application": "py", "x": "y"}, b"2")
            collection.create_item("none", {"server": "h", "user": "u"}, b"3")
            """
        let made = try daemon.run("/usr/bin/python3", ["-c", script])
        XCTAssertEqual(made.status, 0, made.text)
        for (attributes, label) in [
            (["xdg:schema": "org.example.Only"], "only"), (["x": "y"], "more"), (["server": "h"], "none"),
        ] {
            let found = try await store.search(attributes)
            XCTAssertEqual(found.map(\.label), [label], "\(attributes)")
            let item = try XCTUnwrap(found.first)
            let secret = try await store.credential(for: item.key)?.secret
            XCTAssertNotNil(secret, label)
        }
        try await assertSecret("2", key("a"), store)
        // A replacement keeps the attributes of the other program.
        let more = CredentialKey(service: "s", account: "a", attributes: ["x": "y"])
        try await store.set(credential(more, "new"))
        let items = try await store.items(service: "s")
        XCTAssertEqual(items.count, 1)
        XCTAssertEqual(items.first?.key.attributes["application"], "py")
        try await assertSecret("new", key("a"), store)
        try await removeAll(store)
        let rest = try await store.search([:])
        XCTAssertEqual(rest.map(\.label), [])
    }

    func testCollectionsAreNamedOrMissing() async throws {
        let daemon = try KeyringDaemon()
        let status = try await daemon.store().status()
        let collection = try XCTUnwrap(status.collection)
        XCTAssertTrue(status.collectionLabels.contains(collection.label))
        let named = daemon.store(collection.label)
        try await named.set(credential(key("named"), "x"))
        try await assertSecret("x", key("named"), daemon.store())
        let missing = await thrown { _ = try await daemon.store("No such").items(service: nil) }
        XCTAssertEqual(missing, .noDefaultCollection)
    }

    func testManyItemsAreListed() async throws {
        let count = TestForm.isDeep ? 1000 : 30
        let store = try KeyringDaemon().store()
        try await removeAll(store)
        for number in 0..<count { try await store.set(credential(key("\(number)"), "secret \(number)")) }
        let items = try await store.items(service: "s")
        XCTAssertEqual(Set(items.map(\.account)), Set((0..<count).map { "\($0)" }))
        try await assertSecret("secret \(count - 1)", key("\(count - 1)"), store)
        try await removeAll(store)
        let rest = try await store.items(service: nil)
        XCTAssertEqual(rest, [])
    }

    func testTwoClientsWriteAtOnce() async throws {
        let daemon = try KeyringDaemon()
        try await removeAll(daemon.store())
        // The same bus by another address: another connection, session and thread.
        let other = SecretServiceStore(
            collection: nil,
            schema: .generic,
            promptPolicy: PromptPolicy(mode: .desktop, timeout: .seconds(30)),
            address: BusAddress(text: daemon.address.text + ";" + daemon.address.text, source: .environment)
        )
        let stores = [daemon.store(), other]
        for store in stores { _ = try await store.status() }
        for round in 0..<20 {
            let new = key("round \(round)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, store) in stores.enumerated() {
                    let credential = try credential(new, "\(number)")
                    group.addTask { try await store.set(credential) }
                }
                try await group.waitForAll()
            }
            let items = try await daemon.store().search(new.allAttributes)
            XCTAssertEqual(items.count, 1, "round \(round)")
        }
    }
}

/// A store that shows prompts only to delete items and to lock.
private struct PartlyPromptingStore: CredentialStore {
    let silent: SecretServiceStore
    let prompting: SecretServiceStore
    /// Whether all calls may show prompts.
    let mayPrompt = Shared(false)

    private var querying: SecretServiceStore { mayPrompt.value ? prompting : silent }

    var name: String { silent.name }
    var capabilities: StoreCapabilities { silent.capabilities }

    private func deleting() async throws(KeychainError) -> SecretServiceStore {
        if mayPrompt.value { return prompting }
        return try await silent.status().collection?.isLocked == false ? prompting : silent
    }

    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try await querying.credential(for: key)
    }
    func set(_ credential: Credential) async throws(KeychainError) { try await querying.set(credential) }
    func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool { try await deleting().delete(key) }
    func items(service: String?) async throws(KeychainError) -> [CredentialItem] {
        try await querying.items(service: service)
    }
    func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        try await querying.search(attributes)
    }
    func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        try await deleting().update(changes)
    }
    // KeePassXC locks in a prompt, too.
    func lock() async throws(KeychainError) { try await prompting.lock() }
    func unlock() async throws(KeychainError) { try await silent.unlock() }
}
#endif
