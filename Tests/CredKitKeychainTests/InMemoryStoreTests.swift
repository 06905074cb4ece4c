// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTesting
import XCTest

final class InMemoryStoreTests: XCTestCase {
    func testStorePassesTheCommonSuite() async throws {
        try await CredentialStoreSuite { InMemoryStore() }.run()
    }
}
