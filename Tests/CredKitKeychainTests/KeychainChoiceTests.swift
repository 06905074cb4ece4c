// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import CredKitTesting
import XCTest

@testable import CredKitKeychain

/// The remembered backend.
final class KeychainChoiceTests: VaultTestCase {
    private var previous: String?

    override func setUpWithError() throws {
        try super.setUpWithError()
        previous = ProcessInfo.processInfo.environment["XDG_STATE_HOME"]
        setenv("XDG_STATE_HOME", folder + "/state-home", 1)
    }

    override func tearDown() {
        if let previous { setenv("XDG_STATE_HOME", previous, 1) } else { unsetenv("XDG_STATE_HOME") }
        super.tearDown()
    }

    private func keychain(on store: any CredentialStore) -> Keychain {
        Keychain(store: store, fallbacks: [], reason: "", choice: .vault)
    }

    func testBackendIsRememberedWithTheFirstItem() async throws {
        let keychain = keychain(on: InMemoryStore())
        XCTAssertNil(try BackendChoice.read())
        try await keychain.setPassword("x", service: "mail", account: "alice")
        XCTAssertEqual(try BackendChoice.read(), .vault)
        XCTAssertFalse(try BackendChoice.write(.secretService), "it sticks")
        XCTAssertEqual(try BackendChoice.read(), .vault)
    }

    func testNothingIsStoredIfTheChoiceCannotBeRemembered() async throws {
        try put([], at: folder + "/state-home")
        let store = InMemoryStore()
        let keychain = keychain(on: store)
        let error = await failure { () throws(KeychainError) in
            try await keychain.setPassword("x", service: "mail", account: "alice")
        }
        XCTAssertEqual(error, .inputOutput)
        let items = await store.items(service: nil)
        XCTAssertEqual(items, [])
    }

    func testNothingIsRememberedIfNothingWasStored() async throws {
        let keychain = keychain(on: InMemoryStore())
        let error = await failure { () throws(KeychainError) in
            try await keychain.setPassword("x", service: "", account: nil)
        }
        XCTAssertEqual(error, .invalid)
        XCTAssertNil(try BackendChoice.read())
    }
}
