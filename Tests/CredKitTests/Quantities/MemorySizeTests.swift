// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class MemorySizeTests: XCTestCase {
    func testUnitsAreOf1024() {
        XCTAssertEqual(MemorySize.bytes(3).bytes, 3)
        XCTAssertEqual(MemorySize.kibibytes(3).bytes, 3072)
        XCTAssertEqual(MemorySize.mebibytes(3).bytes, 3_145_728)
        XCTAssertEqual(MemorySize.gibibytes(3).bytes, 3_221_225_472)
        XCTAssertEqual(MemorySize.bytes(2047).kibibytes, 1)
        XCTAssertEqual(MemorySize.kibibytes(1 << 20), .gibibytes(1))
    }

    func testAmountsOutsideTheRangeBecomeTheNearestOne() {
        for make in [
            MemorySize.bytes, MemorySize.kibibytes, MemorySize.mebibytes, MemorySize.gibibytes,
        ] {
            for number in [-1, -1 << 40, Int.min] { XCTAssertEqual(make(number).bytes, 0) }
            XCTAssertEqual(make(0).bytes, 0)
            XCTAssertEqual(make(.max).bytes, .max)
        }
        XCTAssertEqual(MemorySize.gibibytes(1 << 33 - 1).bytes, (1 << 33 - 1) << 30)
        XCTAssertEqual(MemorySize.gibibytes(1 << 33).bytes, .max)
    }

    func testAmountsAreOrdered() {
        XCTAssertLessThan(MemorySize.bytes(1023), .kibibytes(1))
        XCTAssertFalse(MemorySize.kibibytes(1) < .bytes(1024))
    }

    func testDescriptionsHaveTheLargestUnitOfAWholeNumber() {
        for (size, text) in [
            (MemorySize.bytes(0), "0 bytes"), (.bytes(1), "1 bytes"), (.bytes(1023), "1023 bytes"),
            (.bytes(1024), "1 KiB"), (.bytes(1025), "1025 bytes"), (.kibibytes(19456), "19 MiB"),
            (.kibibytes(1025), "1025 KiB"), (.mebibytes(1024), "1 GiB"), (.gibibytes(2048), "2048 GiB"),
            (.bytes(.max), "9223372036854775807 bytes"),
        ] {
            XCTAssertEqual(size.description, text)
        }
    }
}
