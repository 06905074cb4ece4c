// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTesting
import XCTest

final class InMemoryStoreTests: StoreSuite {
    override func makeStore() async throws -> any CredentialStore { InMemoryStore() }

    func testStorePassesTheCommonSuite() async throws { try await runSuite() }
}
