// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class StructuredFieldDecimalTests: XCTestCase {
    private typealias Decimal = StructuredField.Decimal

    func testPrintsWithoutTrailingZeros() {
        let texts: [Int64: String] = [
            0: "0.0", 1: "0.001", 10: "0.01", 100: "0.1", -1: "-0.001", 1_000: "1.0", -1_500: "-1.5",
            999_999_999_999_999: "999999999999.999", .min: "-9223372036854775.808",
        ]
        for (thousandths, text) in texts {
            XCTAssertEqual("\(Decimal(thousandths: thousandths))", text)
        }
    }

    func testParsesDecimalsOnly() {
        XCTAssertEqual(Decimal("1.5")?.thousandths, 1_500)
        XCTAssertEqual(Decimal("-0.001")?.thousandths, -1)
        XCTAssertEqual(Decimal("-0.0")?.thousandths, 0)
        for text in [
            "", "1", "1.", ".5", " 1.5", "1.5 ", "+1.5", "1.5000", "1e3", "1234567890123.0", "\"a\"",
        ] {
            XCTAssertNil(Decimal(text), text)
        }
    }

    func testRoundsToTheNearestAndThenToEven() {
        let cases: [(Int64, Int64, Int64?)] = [
            (15, 10_000, 2), (25, 10_000, 2), (-15, 10_000, -2), (-25, 10_000, -2), (99_995, 10_000, 10_000),
            (2, 3, 667), (1, 3, 333), (24_999, 10_000_000, 2), (25_001, 10_000_000, 3), (0, 7, 0),
            (999_999_999_999, 1, 999_999_999_999_000), (1_000_000_000_000, 1, nil), (1, 0, nil), (1, -1, nil),
            (.max, .max, 1_000), (.min, .max, -1_000), (1, .max, 0), (.max, 1, nil), (.min, 1, nil),
            (9_999_999_999_999_994, 10_000, 999_999_999_999_999), (9_999_999_999_999_995, 10_000, nil),
        ]
        for (numerator, denominator, expected) in cases {
            XCTAssertEqual(
                Decimal(rounding: numerator, over: denominator)?.thousandths,
                expected,
                "\(numerator) / \(denominator)"
            )
        }
    }

    func testIsOrdered() {
        XCTAssertLessThan(Decimal(thousandths: -1), Decimal(thousandths: 1))
    }
}
