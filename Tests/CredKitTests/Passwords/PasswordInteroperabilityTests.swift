// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

/// Hashes created by other tools.
final class PasswordInteroperabilityTests: XCTestCase {
    struct Case: Decodable {
        let scheme: String
        let hash: String
        let password: String
        let origin: String
    }

    private func hasher() throws -> PasswordHasher {
        try PasswordHasher(policy: .recommended, legacyKeys: ["app": SecretBytes("84143")])
    }

    func testHashesOfOtherToolsVerifyAndRoundTrip() throws {
        let hasher = try hasher()
        for test in try VectorFile<Case>.load("password-hashes").cases {
            let hash = try PasswordHash(test.hash)
            XCTAssertEqual(hash.scheme.name, test.scheme, test.origin)
            XCTAssertEqual(hash.description, test.hash, test.origin)
            XCTAssertTrue(
                try hasher.verify(test.password, against: test.hash).isMatch,
                "\(test.origin): \(test.hash)"
            )
            XCTAssertEqual(
                try hasher.verify("x" + test.password, against: test.hash),
                .mismatch,
                "\(test.origin): \(test.hash)"
            )
        }
    }
}
