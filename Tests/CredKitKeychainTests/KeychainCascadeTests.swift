// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitKeychain

/// A keychain with a primary store and a fallback.
final class KeychainCascadeTests: XCTestCase {
    func testReadsAskBothAndDeletionsReachBoth() async throws {
        let (first, second) = (InMemoryStore(), InMemoryStore())
        try await Keychain(store: second).setPassword("old", service: "mail", account: "alice")
        let keychain = Keychain(store: first, fallbacks: [second])
        let old = try await keychain.text(service: "mail", account: "alice")
        XCTAssertEqual(old, "old")
        try await keychain.setPassword("new", service: "mail", account: "alice")
        let new = try await keychain.text(service: "mail", account: "alice")
        XCTAssertEqual(new, "new")
        let accounts = try await keychain.accounts(service: "mail")
        XCTAssertEqual(accounts, ["alice"], "each key should be listed once")
        let wasThere = try await keychain.deletePassword(service: "mail", account: "alice")
        XCTAssertTrue(wasThere)
        let nothing = try await keychain.text(service: "mail", account: "alice")
        XCTAssertNil(nothing, "the deletion should reach both stores")
    }

    func testAccountsAreDistinguishedByBytes() async throws {
        let keychain = Keychain(store: InMemoryStore())
        for account in ["\u{E9}", "e\u{301}"] {
            for realm in ["x", "y"] {
                let key = CredentialKey(service: "mail", account: account, attributes: ["realm": realm])
                try await keychain.set(Credential(item: CredentialItem(key: key), secret: SecretBytes("s")))
            }
        }
        let accounts = try await keychain.accounts(service: "mail").map { Array($0.utf8) }
        XCTAssertEqual(Set(accounts), [Array("\u{E9}".utf8), Array("e\u{301}".utf8)])
        XCTAssertEqual(accounts.count, 2)
    }

    func testMissingSecretServiceActsAsEmptyFallback() async throws {
        let bus = BusAddress(text: "unix:path=/nowhere", source: .environment)
        let absent = SecretServiceStore(collection: nil, schema: .generic, promptPolicy: .never, address: bus)
        let keychain = Keychain(store: InMemoryStore(), fallbacks: [absent])
        let nothing = try await keychain.text(service: "mail", account: "alice")
        XCTAssertNil(nothing)
        let wasThere = try await keychain.deletePassword(service: "mail", account: "alice")
        XCTAssertFalse(wasThere)
        let items = try await keychain.items()
        XCTAssertEqual(items, [])
    }

    func testValuesRoundTripAndOtherTypesAreRefused() async throws {
        struct Login: Codable, Equatable { let user: String, count: Int }
        let keychain = Keychain(store: InMemoryStore())
        try await keychain.setValue(Login(user: "alice", count: 3), service: "app", account: nil)
        let login = try await keychain.value(Login.self, service: "app", account: nil)
        XCTAssertEqual(login, Login(user: "alice", count: 3))
        do throws(KeychainError) {
            _ = try await keychain.value([Int].self, service: "app", account: nil)
            XCTFail("another type")
        } catch {
            XCTAssertEqual(error, .invalid)
        }
    }
}
