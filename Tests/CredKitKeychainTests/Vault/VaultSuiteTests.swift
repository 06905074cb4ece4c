// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import CredKitTestSupport
import XCTest

@testable import CredKitKeychain

/// Runs the suite of all stores.
final class VaultSuiteTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = try TemporaryFolder.make()
    }

    override func tearDown() {
        TemporaryFolder.remove(folder)
    }

    private static func makeStore(in folder: String) throws -> VaultStore {
        var configuration = VaultConfiguration()
        let number = UInt64.random(in: 0...UInt64.max)
        configuration.path = folder + "/\(number)"
        configuration.stateDirectory = folder + "/state"
        configuration.keySources = [.passphrase(try SecretBytes("correct horse"))]
        configuration.argon2idCost = try Argon2idCost(memory: .kibibytes(8), passes: 1)
        configuration.promptPolicy.timeout = .seconds(30)
        return try VaultStore(configuration)
    }

    func testStorePassesTheCommonSuite() async throws {
        try await CredentialStoreSuite { [folder] in try Self.makeStore(in: folder) }.run()
    }
}
