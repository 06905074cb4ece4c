// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitKeychain

final class VaultStoreTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = try TemporaryFolder.make()
    }

    override func tearDown() {
        TemporaryFolder.remove(folder)
    }

    private func configuration(_ sources: [VaultKeySource]? = nil) throws -> VaultConfiguration {
        var configuration = VaultConfiguration()
        configuration.path = folder + "/vault"
        configuration.statePath = folder + "/state"
        configuration.keySources = try sources ?? [.passphrase(SecretBytes("correct horse"))]
        configuration.keyDerivation = try KeyDerivation(memoryKiB: 8, passes: 1)
        return configuration
    }

    func testWhatOneStoreHasAcknowledgedAnotherSees() async throws {
        let first = try VaultStore(configuration())
        let second = try VaultStore(configuration())
        let nothing = try await second.items(service: nil)
        XCTAssertEqual(nothing, [])
        let key = CredentialKey(service: "mail", account: "alice")
        try await first.set(Credential(item: CredentialItem(key: key), secret: SecretBytes("one")))
        let one = try await second.credential(for: key)
        XCTAssertEqual(one?.secret, try SecretBytes("one"))
        try await second.set(Credential(item: CredentialItem(key: key), secret: SecretBytes("two")))
        let two = try await first.credential(for: key)
        XCTAssertEqual(two?.secret, try SecretBytes("two"))
        let count = try await first.verify()
        XCTAssertEqual(count, 1)
    }
}
