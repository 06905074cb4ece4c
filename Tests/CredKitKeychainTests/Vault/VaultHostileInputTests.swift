// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import CredKitTesting
import XCTest

@testable import CredKitKeychain

/// Unreasonable queries, names and key sources.
final class VaultHostileInputTests: VaultTestCase {
    func testPathsWithCombiningAccentsAreSupported() async throws {
        var configuration = try configuration()
        configuration.path = folder + "/\u{301}vault"
        let store = try VaultStore(configuration)
        try await store.set(credential("alice", "x"))
        XCTAssertEqual(access(folder + "/\u{301}vault", F_OK), 0)
        chmod(folder, 0o777)
        defer { chmod(folder, 0o700) }
        let error = await openingError(try VaultStore(configuration))
        XCTAssertEqual(error, .insecureFile)
    }

    func testCanonicallyEquivalentNamesAreTwoItems() async throws {
        let store = try store()
        let credentials = try [credential("\u{E9}", "one"), credential("e\u{301}", "two")]
        try await store.update(credentials.map { .set($0) })
        let all = try await store.items(service: nil)
        XCTAssertEqual(all.count, 2)
        let inKeychain = try await Keychain(store: store, fallbacks: [InMemoryStore()]).items()
        XCTAssertEqual(inKeychain.count, 2)
        let copies = try CredentialsJSON.decode(CredentialsJSON.encode(credentials))
        XCTAssertEqual(copies.count, 2)
    }

    func testHangingPassphraseCommandIsAbandoned() async throws {
        try await makeVault()
        var configuration = try configuration([
            .passphraseCommand("echo correct horse; exec >&-; exec sleep 20")
        ])
        configuration.promptPolicy.timeout = .seconds(2)
        configuration.promptPolicy.promptTimeout = .milliseconds(200)
        let store = try VaultStore(configuration)
        let error = await openingError(store)
        XCTAssertEqual(error, .timedOut)
        // The store is not blocked by it.
        let status = try await patiently { () throws(KeychainError) in try await store.status() }
        XCTAssertTrue(status.exists)
    }

    func testQueriesWithNamesOfAnyLengthAreAnswered() async throws {
        try await makeVault()
        let store = try store()
        let long = String(repeating: "n", count: 70_000)
        for key in [
            CredentialKey(service: long, account: nil), CredentialKey(service: "mail", account: long),
        ] {
            let found = try await store.credential(for: key)
            XCTAssertNil(found)
            let isDeleted = try await store.delete(key)
            XCTAssertFalse(isDeleted)
        }
        let items = try await store.items(service: long)
        XCTAssertEqual(items, [])
        let searched = try await store.search(["service": long])
        XCTAssertEqual(searched, [])
    }
}
