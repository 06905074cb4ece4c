// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if SecretService
import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// Other programs read the store's items, and the store reads theirs.
final class SecretServiceExchangeTests: XCTestCase {
    private let bus = Shared<PrivateBus?>(nil)

    override func setUp() async throws {
        try PrivateBus.skipUnlessInstalled()
        let bus = try PrivateBus()
        try bus.startKeyring()
        self.bus.value = bus
    }

    override func tearDown() async throws { bus.value?.end() }

    private func store() throws -> SecretServiceStore {
        SecretServiceStore(
            collection: nil,
            schema: .generic,
            promptPolicy: PromptPolicy(timeout: .seconds(30)),
            address: try XCTUnwrap(bus.value).address
        )
    }

    private func set(_ key: CredentialKey, _ secret: String) async throws {
        try await store().set(Credential(item: CredentialItem(key: key), secret: SecretBytes(secret)))
    }

    private func secret(_ key: CredentialKey) async throws -> SecretBytes? {
        try await store().credential(for: key)?.secret
    }

    /// Each side writes both neighbours in both orders, and replaces the store's items.
    private func exchange(
        write: (String, String?, String) throws -> Void,
        read: (String, String?) throws -> String
    ) async throws {
        let full = CredentialKey(service: "ours", account: "ünï")
        try await set(full, "from the store")
        XCTAssertEqual(try read("ours", "ünï"), "from the store")
        try write("theirs", "ünï", "from another")
        let theirs = CredentialKey(service: "theirs", account: "ünï")
        let found = try await secret(theirs)
        XCTAssertEqual(found, try SecretBytes("from another"))
        // Replacing their item changes it, and leaves no second item.
        try await set(theirs, "replaced")
        XCTAssertEqual(try read("theirs", "ünï"), "replaced")
        let items = try await store().items(service: "theirs")
        XCTAssertEqual(items.count, 1)
        // The store's item without an account beside theirs with one, which gnome-keyring's own replacement would
        // destroy.
        let bare = CredentialKey(service: "theirs", account: nil)
        try await set(bare, "bare")
        XCTAssertEqual(try read("theirs", "ünï"), "replaced")
        let neighbour = try await secret(bare)
        XCTAssertEqual(neighbour, try SecretBytes("bare"))
        // And theirs beside the store's item without one.
        try await set(CredentialKey(service: "second", account: nil), "bare")
        try write("second", "x", "theirs")
        let kept = try await secret(CredentialKey(service: "second", account: nil))
        XCTAssertEqual(kept, try SecretBytes("bare"))
        let deleted = try await store().delete(theirs)
        XCTAssertTrue(deleted)
        let gone = try await secret(theirs)
        XCTAssertNil(gone)
    }

    func testSecretToolReadsAndWritesTheSame() async throws {
        let bus = try XCTUnwrap(bus.value)
        try await exchange(
            write: { service, account, secret in
                let account = account.map { ["username", $0] } ?? []
                let tool = try bus.run(
                    "secret-tool",
                    ["store", "--label=x", "service", service] + account,
                    input: secret
                )
                XCTAssertEqual(tool.status, 0)
            },
            read: { service, account in
                let account = account.map { ["username", $0] } ?? []
                return try bus.run("secret-tool", ["lookup", "service", service] + account).text
            }
        )
    }

    func testPythonsSecretStorageReadsAndWritesTheSame() async throws {
        let bus = try XCTUnwrap(bus.value)
        let begin = """
            import secretstorage,sys
            c=secretstorage.get_default_collection(secretstorage.dbus_init())
            a={'service':sys.argv[1],'username':sys.argv[2]}

            """
        try await exchange(
            write: { service, account, secret in
                let script = begin + "c.create_item('x',a,sys.stdin.buffer.read())"
                let tool = try bus.run(
                    "/usr/bin/python3",
                    ["-c", script, service, account ?? ""],
                    input: secret
                )
                XCTAssertEqual(tool.status, 0)
            },
            read: { service, account in
                let script = begin + "sys.stdout.buffer.write(next(c.search_items(a)).get_secret())"
                return try bus.run("/usr/bin/python3", ["-c", script, service, account ?? ""]).text
            }
        )
    }

    func testPythonKeyringReadsAndWritesTheSame() async throws {
        let bus = try XCTUnwrap(bus.value)
        let begin = "import sys;from keyring.backends.SecretService import Keyring;k=Keyring();"
        try await exchange(
            write: { service, account, secret in
                let script = begin + "k.set_password(sys.argv[1],sys.argv[2],sys.stdin.read())"
                let tool = try bus.run(
                    "/usr/bin/python3",
                    ["-c", script, service, account ?? ""],
                    input: secret
                )
                XCTAssertEqual(tool.status, 0)
            },
            read: { service, account in
                let script = begin + "sys.stdout.write(k.get_password(sys.argv[1],sys.argv[2]))"
                return try bus.run("/usr/bin/python3", ["-c", script, service, account ?? ""]).text
            }
        )
    }

    func testItemsOfGoKeyringAndGitAreFound() async throws {
        let bus = try XCTUnwrap(bus.value)
        // go-keyring's content type, written with Python.
        let script = """
            import secretstorage
            c=secretstorage.get_default_collection(secretstorage.dbus_init())
            c.create_item("Password for 'u' on 'go'",{'service':'go','username':'u'},b'g',content_type='text/plain; charset=utf-8')
            c.create_item('Git: https://h/',{'protocol':'https','server':'h','user':'u','xdg:schema':'org.git.Password'},b'p')
            """
        XCTAssertEqual(try bus.run("/usr/bin/python3", ["-c", script]).status, 0)
        let go = try await secret(CredentialKey(service: "go", account: "u"))
        XCTAssertEqual(go, try SecretBytes("g"))
        let git = SecretServiceStore(
            collection: nil,
            schema: .git,
            promptPolicy: PromptPolicy(timeout: .seconds(30)),
            address: bus.address
        )
        let found = try await git.credential(for: CredentialKey(service: "https://h", account: "u"))
        XCTAssertEqual(found?.secret, try SecretBytes("p"))
        // secret-tool prints the item that the store replaced.
        try await set(CredentialKey(service: "go", account: "u"), "new")
        XCTAssertEqual(try bus.run("secret-tool", ["lookup", "service", "go"]).text, "new")
    }
}
#endif
