// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// A number with up to three digits after the point, as an exact count of thousandths.
    ///
    /// ```swift
    /// StructuredField.Decimal(thousandths: 1_500)            // 1.5
    /// StructuredField.Decimal(rounding: 2, over: 3)          // 0.667
    /// ```
    public struct Decimal: Hashable, Sendable, Comparable, LosslessStringConvertible {
        /// The largest magnitude that a field can represent: 999,999,999,999.999.
        static let maximumThousandths: Int64 = 999_999_999_999_999

        /// The number times 1,000.
        public let thousandths: Int64

        /// Creates a number.
        ///
        /// - Parameter thousandths: The number times 1,000, from −999,999,999,999,999 to 999,999,999,999,999. A number
        ///   outside of this range cannot be serialized.
        public init(thousandths: Int64) { self.thousandths = thousandths }

        /// Creates the number that is closest to a fraction; of two that are equally close, the one whose last digit is
        /// even, as RFC 9651 §4.1.5 rounds. The result is `nil` if that number is out of range, or the denominator is not
        /// greater than 0.
        ///
        /// - Parameters:
        ///   - numerator: The number above the line.
        ///   - denominator: The number below the line, greater than 0.
        public init?(rounding numerator: Int64, over denominator: Int64) {
            guard denominator > 0 else { return nil }
            let divisor = denominator.magnitude
            let (high, low) = numerator.magnitude.multipliedFullWidth(by: 1_000)
            guard high < divisor else { return nil }
            let (quotient, remainder) = divisor.dividingFullWidth((high, low))
            // The quotient is less than the limit of the type, so it can be rounded up.
            guard quotient <= Self.maximumThousandths.magnitude else { return nil }
            let missing = divisor - remainder
            let isRoundedUp = remainder > missing || (remainder == missing && !quotient.isMultiple(of: 2))
            let magnitude = Int64(quotient) + (isRoundedUp ? 1 : 0)
            guard magnitude <= Self.maximumThousandths else { return nil }
            thousandths = numerator < 0 ? -magnitude : magnitude
        }

        /// Parses a decimal. The result is `nil` for any other text, including an integer.
        ///
        /// - Parameter description: A number as in a field, with a point and one to three digits behind it.
        public init?(_ description: String) {
            guard var parser = try? Parser(description.utf8),
                case .decimal(let value)? = try? parser.number(),
                parser.next == nil
            else { return nil }
            self = value
        }

        /// Returns whether one number is smaller than another.
        public static func < (left: Self, right: Self) -> Bool { left.thousandths < right.thousandths }

        /// The number as in a field, such as `1.5` or `-2.0`.
        public var description: String {
            let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
            var digits = String(rest + 1_000).dropFirst()
            while digits.count > 1 && digits.last == "0" { digits.removeLast() }
            return "\(thousandths < 0 ? "-" : "")\(whole).\(digits)"
        }
    }
}
