// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class ConstantTimeTests: XCTestCase {
    func testTellsEqualFromDifferent() {
        for count in 0...70 {
            let bytes = SecureRandom.bytes(count: count)
            XCTAssertTrue(ConstantTime.areEqual(bytes, bytes))
            XCTAssertTrue(ConstantTime.areEqual(bytes, bytes.lazy.map { $0 }))
            XCTAssertFalse(ConstantTime.areEqual(bytes, bytes + [0]))
            XCTAssertFalse(ConstantTime.areEqual([0] + bytes, bytes))
            for index in bytes.indices {
                var other = bytes
                other[index] ^= UInt8(1 << (index % 8))
                XCTAssertFalse(ConstantTime.areEqual(bytes, other))
            }
        }
    }
}
