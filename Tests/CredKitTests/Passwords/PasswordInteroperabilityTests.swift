// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// Hashes created by other tools.
final class PasswordInteroperabilityTests: XCTestCase {
    private func context() throws -> PasswordContext {
        try PasswordContext(policy: .recommended, legacyKeys: ["app": SecretBytes("84143")])
    }

    func testHashesOfOtherToolsVerifyAndRoundTrip() throws {
        let context = try context()
        for test in try StoredHashCase.all() {
            let hash = try PasswordHash(test.hash)
            XCTAssertEqual(hash.scheme.name, test.scheme, test.origin)
            XCTAssertEqual(hash.description, test.hash, test.origin)
            XCTAssertTrue(
                try context.verify(test.password, against: test.hash).isMatch,
                "\(test.origin): \(test.hash)"
            )
            // The costlier vectors run only once, because they are slow.
            guard hash.estimatedTime < .milliseconds(50) else { continue }
            XCTAssertEqual(
                try context.verify("x" + test.password, against: test.hash),
                .mismatch,
                "\(test.origin): \(test.hash)"
            )
        }
    }
}
