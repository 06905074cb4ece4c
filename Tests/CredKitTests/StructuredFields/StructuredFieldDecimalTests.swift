// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

struct StructuredFieldDecimalTests {
    private typealias Decimal = StructuredField.Decimal

    struct Text: Sendable {
        let thousandths: Int64
        let text: String

        init(_ thousandths: Int64, _ text: String) {
            self.thousandths = thousandths
            self.text = text
        }
    }

    static let printed: [Text] = [
        Text(0, "0.0"), Text(1, "0.001"), Text(10, "0.01"), Text(100, "0.1"), Text(-1, "-0.001"),
        Text(1_000, "1.0"), Text(-1_500, "-1.5"), Text(999_999_999_999_999, "999999999999.999"),
        Text(.min, "-9223372036854775.808"),
    ]

    @Test(arguments: StructuredFieldDecimalTests.printed)
    func printsWithoutTrailingZeros(row: Text) {
        #expect("\(Decimal(thousandths: row.thousandths))" == row.text)
    }

    static let parsed: [Text] = [Text(1_500, "1.5"), Text(-1, "-0.001"), Text(0, "-0.0")]

    @Test(arguments: StructuredFieldDecimalTests.parsed)
    func parsesDecimals(row: Text) {
        #expect(Decimal(row.text)?.thousandths == row.thousandths)
    }

    @Test(arguments: [
        "", "1", "1.", ".5", " 1.5", "1.5 ", "+1.5", "1.5000", "1e3", "1234567890123.0", "\"a\"",
    ])
    func parsesDecimalsOnly(text: String) {
        #expect(Decimal(text) == nil)
    }

    struct Quotient: Sendable {
        let numerator: Int64
        let denominator: Int64
        let thousandths: Int64?

        init(_ numerator: Int64, _ denominator: Int64, _ thousandths: Int64?) {
            self.numerator = numerator
            self.denominator = denominator
            self.thousandths = thousandths
        }
    }

    static let quotients: [Quotient] = [
        Quotient(15, 10_000, 2), Quotient(25, 10_000, 2), Quotient(-15, 10_000, -2),
        Quotient(-25, 10_000, -2), Quotient(99_995, 10_000, 10_000), Quotient(2, 3, 667),
        Quotient(1, 3, 333), Quotient(24_999, 10_000_000, 2), Quotient(25_001, 10_000_000, 3),
        Quotient(0, 7, 0), Quotient(999_999_999_999, 1, 999_999_999_999_000),
        Quotient(1_000_000_000_000, 1, nil), Quotient(1, 0, nil), Quotient(1, -1, nil),
        Quotient(.max, .max, 1_000), Quotient(.min, .max, -1_000), Quotient(1, .max, 0),
        Quotient(.max, 1, nil), Quotient(.min, 1, nil),
        Quotient(9_999_999_999_999_994, 10_000, 999_999_999_999_999),
        Quotient(9_999_999_999_999_995, 10_000, nil),
    ]

    @Test(arguments: StructuredFieldDecimalTests.quotients)
    func roundsToTheNearestAndThenToEven(row: Quotient) {
        let rounded = Decimal(rounding: row.numerator, over: row.denominator)
        #expect(rounded?.thousandths == row.thousandths)
    }

    @Test func isOrdered() {
        #expect(Decimal(thousandths: -1) < Decimal(thousandths: 1))
    }
}
