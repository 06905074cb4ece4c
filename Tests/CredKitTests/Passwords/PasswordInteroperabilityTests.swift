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

    private func context() throws -> PasswordContext {
        try PasswordContext(policy: .recommended, legacyKeys: ["app": SecretBytes("84143")])
    }

    func testHashesOfOtherToolsVerifyAndRoundTrip() throws {
        let context = try context()
        for test in try VectorFile<Case>.load("password-hashes").cases {
            let hash = try PasswordHash(test.hash)
            XCTAssertEqual(hash.scheme.name, test.scheme, test.origin)
            XCTAssertEqual(hash.description, test.hash, test.origin)
            XCTAssertTrue(
                try context.verify(test.password, against: test.hash).isMatch,
                "\(test.origin): \(test.hash)"
            )
            XCTAssertEqual(
                try context.verify("x" + test.password, against: test.hash),
                .mismatch,
                "\(test.origin): \(test.hash)"
            )
        }
    }
}
