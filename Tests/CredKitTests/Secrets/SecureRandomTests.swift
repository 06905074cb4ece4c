// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class SecureRandomTests: XCTestCase {
    func testYieldsTheRequestedByteCountAndDifferentBytes() {
        XCTAssertEqual(SecureRandom.bytes(count: 0), [])
        let salts = (0..<1000).map { _ in SecureRandom.bytes(count: 16) }
        XCTAssertTrue(salts.allSatisfy { $0.count == 16 })
        XCTAssertEqual(Set(salts).count, 1000)
    }

    func testEveryBitOccurs() {
        // Of 65,536 bits at each position half should be set; a deviation of 1,500 exceeds 11 standard deviations.
        let bytes = SecureRandom.bytes(count: 65_536)
        for bit in 0..<8 {
            let count = bytes.reduce(0) { $0 + Int($1 >> bit & 1) }
            XCTAssertEqual(Double(count), 32_768, accuracy: 1500)
        }
    }
}
