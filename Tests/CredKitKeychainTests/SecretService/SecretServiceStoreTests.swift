// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKit
import CredKitTesting
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// The store with gnome-keyring on a private bus.
final class SecretServiceStoreTests: StoreTestCase {
    private let bus = Shared<PrivateBus?>(nil)

    override func setUp() async throws {
        try PrivateBus.skipUnlessInstalled()
        let bus = try PrivateBus()
        try bus.startKeyring()
        self.bus.value = bus
    }

    override func tearDown() async throws { bus.value?.end() }

    private func store(
        _ collection: String? = nil,
        _ schema: SecretServiceSchema = .generic
    ) throws -> SecretServiceStore {
        SecretServiceStore(
            collection: collection,
            schema: schema,
            promptPolicy: PromptPolicy(timeout: .seconds(30)),
            address: try XCTUnwrap(bus.value).address
        )
    }

    func testStorePassesTheCommonSuite() async throws {
        let (bus, store) = (try XCTUnwrap(bus.value), try store())
        var suite = CredentialStoreSuite {
            for item in try await store.search([:]) { try await store.delete(item.key) }
            return store
        }
        suite.savesContentTypes = false
        suite.unlockWithoutPrompt = { _ in try bus.unlock("login", password: PrivateBus.password) }
        try await suite.run()
    }

    /// Returns the output of the probe about the Secret Service, in a separate process.
    private func probe(_ arguments: String..., environment: [String: String] = [:]) throws -> String {
        let probe = Bundle.main.bundleURL.appendingPathComponent("KeychainProbe").path
        let variables = try XCTUnwrap(bus.value).environment.merging(environment) { $1 }
        return try Program.run([probe] + arguments, environment: variables).text
    }

    func testBrokenPipeSignalHandlingIsUnchanged() throws {
        XCTAssertEqual(try probe("signals"), "default\n", "GIO ignores the signal in the whole process")
    }

    func testFailedLibraryLoadIsRetried() throws {
        let folder = try XCTUnwrap(bus.value).directory
        let file = folder.appending(component: "libsecret-1.so.0").path
        XCTAssertTrue(FileManager.default.createFile(atPath: file, contents: nil))
        let said = try probe("loading", file, environment: ["LD_LIBRARY_PATH": folder.path])
        XCTAssertEqual(said, "not loaded\n0 items\n")
    }

    func testSessionIsEncryptedAndItemHasAPath() async throws {
        let store = try store()
        try await store.set(credential(key("a"), "x"))
        let item = try await store.credential(for: key("a"))?.item
        XCTAssertEqual(item?.location?.hasPrefix("/org/freedesktop/secrets/collection/login/"), true)
        XCTAssertEqual(item?.contentType, "text/plain")
        XCTAssertEqual(item?.label, "Password for 'a' on 's'")
    }

    func testStatusReportsServiceAndCollection() async throws {
        let status = try await store().status()
        XCTAssertEqual(status.process, "gnome-keyring-d")
        XCTAssertEqual(status.collection?.path, "/org/freedesktop/secrets/collection/login")
        XCTAssertEqual(status.collection?.label, "Login")
        XCTAssertEqual(status.collection?.isLocked, false)
        XCTAssertEqual(status.collection?.hasNoPassword, false)
        XCTAssertTrue(status.collectionLabels.contains("Login"))
        let isUsable = try await store().isUsable
        XCTAssertTrue(isUsable)
    }

    func testCollectionIsFoundByLabelOrPathAndIsolatedFromOthers() async throws {
        try bus.value?.createCollection("My Work", password: "other")
        for name in ["My Work", "My_5fWork", "login", "default"] {
            let store = try store(name)
            try await store.set(credential(key("a"), name))
        }
        try await assertSecret("My_5fWork", key("a"), store("My Work"))
        try await assertSecret("default", key("a"), store())
        // Swift treats a Kelvin sign as a K.
        try bus.value?.createCollection("Keys", password: "other")
        for name in ["No such", "\u{212A}eys"] {
            let missing = try store(name)
            let error = await thrown { _ = try await missing.items(service: nil) }
            XCTAssertEqual(error, .noDefaultCollection)
        }
    }

    func testDaemonMayRestart() async throws {
        let bus = try XCTUnwrap(bus.value)
        let store = try store()
        try await store.set(credential(key("a"), "x"))
        bus.endLast()
        try bus.startKeyring()
        try await assertSecret("x", key("a"), store)
    }

    func testConcurrentWritersLeaveOneItem() async throws {
        let address = try XCTUnwrap(bus.value).address
        // The same bus through different addresses, each with its own connection, session and thread.
        let stores = (0..<4).map { number in
            SecretServiceStore(
                collection: nil,
                schema: .generic,
                promptPolicy: PromptPolicy(timeout: .seconds(30)),
                address: BusAddress(
                    text: String(repeating: address.text + ";", count: number) + address.text,
                    source: .environment
                )
            )
        }
        // One after the other, because this daemon crashes when sessions are opened concurrently.
        for store in stores { _ = try await store.status() }
        for round in 0..<15 {
            let new = key("round \(round)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, store) in stores.enumerated() {
                    let credential = try credential(new, "\(number)")
                    group.addTask {
                        do throws(KeychainError) {
                            try await store.set(credential)
                        } catch {
                            // When a writer stalls for seconds, two items look as if they had been left behind.
                            guard error == .ambiguous else { throw error }
                            try await store.set(credential)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let items = try await store().search(new.allAttributes)
            XCTAssertEqual(items.count, 1)
        }
    }

    func testKeyringWithoutPasswordRefusesSecretsItWouldLose() async throws {
        let bus = try XCTUnwrap(bus.value)
        try bus.createCollection("Plain", password: "")
        let store = try store("Plain")
        let status = try await store.status()
        XCTAssertEqual(status.collection?.hasNoPassword, true)
        let lost = ["two\nlines", "back\\slash", " space", "\ttab", "return\r"]
        for secret in lost {
            let refused = try credential(key("a"), secret)
            let error = await thrown { try await store.set(refused) }
            XCTAssertEqual(error, .invalid, secret)
        }
        // Items that are not refused survive a restart of the daemon: text, and bytes that are not text.
        let kept: [[UInt8]] = [
            [], Array("plain # [x] = ;".utf8), Array("r\rn ".utf8), [0xFF, 0x0A, 0x5C], [0x20, 0],
        ]
        for (number, secret) in kept.enumerated() {
            let item = CredentialItem(key: key("\(number)\n\\ x"), label: " line\n\\feed")
            try await store.set(Credential(item: item, secret: SecretBytes(secret)))
        }
        // The daemon writes with a short delay.
        let file = bus.directory.appending(components: ".local", "share", "keyrings", "Plain.keyring")
        try bus.wait {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            return text.split(separator: "\n").filter { $0.hasPrefix("item-type=") }.count == kept.count
        }
        bus.endLast()
        try bus.startKeyring()
        for (number, secret) in kept.enumerated() {
            let read = try await store.credential(for: key("\(number)\n\\ x"))
            XCTAssertEqual(read?.secret, try SecretBytes(secret), "\(secret)")
        }
        // The same in a keyring with a password.
        for secret in lost {
            try await self.store().set(credential(key("a"), secret))
            try await assertSecret(secret, key("a"), self.store())
        }
    }
}

/// A value that a test and its set-up share, one after the other.
final class Shared<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
#endif
