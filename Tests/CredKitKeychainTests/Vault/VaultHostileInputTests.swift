// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

@testable import CredKitKeychain

/// Questions, names and sources that nobody sensible has.
final class VaultHostileInputTests: VaultTestCase {
    func testQuestionsWithNamesOfAnyLengthAreAnswered() async throws {
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
