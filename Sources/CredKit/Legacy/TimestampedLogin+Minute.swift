// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

extension Legacy.TimestampedLogin {
    /// A minute in the format of the timestamped login: `yyyy-MM-dd HH:mm`, 16 ASCII characters.
    ///
    /// ```swift
    /// let minute = try Legacy.TimestampedLogin.Minute("2026-01-02 03:04")
    /// let now = try Legacy.TimestampedLogin.Minute(.now, utcOffset: .seconds(8 * 3600))     // Shanghai's clock
    /// ```
    ///
    /// The calendar is the proleptic Gregorian one, from the year 0001 to 9999. Locale, calendar and time zone of the
    /// system have no influence: the same minute has the same text everywhere.
    public struct Minute: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// Why a minute is invalid.
        public struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
            private enum Code { case malformed, outOfRange, invalidOffset }

            private let code: Code

            /// The text is not a date and a time as `yyyy-MM-dd HH:mm`.
            public static let malformed = Self(code: .malformed)
            /// The point in time is outside the years 0001 to 9999.
            public static let outOfRange = Self(code: .outOfRange)
            /// The offset from UTC is 24 hours or more.
            public static let invalidOffset = Self(code: .invalidOffset)

            /// A description for people.
            public var description: String {
                switch code {
                case .malformed:
                    "not a minute of the form 'yyyy-MM-dd HH:mm', for instance '2026-01-02 03:04'"
                case .outOfRange: "outside the years 0001 to 9999"
                case .invalidOffset: "an offset from UTC must be less than 24 hours"
                }
            }
        }

        /// The minutes since 1970-01-01 00:00 on the same clock.
        private let minutes: Int

        /// The minutes since 1970-01-01 00:00 on the same clock.
        package var minutesSince1970: Int { minutes }

        /// Parses the text of a minute.
        ///
        /// - Parameter text: Exactly `yyyy-MM-dd HH:mm` in ASCII digits, with a date that exists.
        /// - Throws: ``ParseError/malformed`` for any other text.
        public init(_ text: some StringProtocol) throws(ParseError) {
            let bytes = Array(text.utf8)
            let pattern = Array("0000-00-00 00:00".utf8)
            guard bytes.count == pattern.count else { throw .malformed }
            for (byte, expected) in zip(bytes, pattern) {
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { throw .malformed }
            }
            func number(_ range: Range<Int>) -> Int {
                bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            }
            let day = GregorianDay(year: number(0..<4), month: number(5..<7), day: number(8..<10))
            let (hour, minute) = (number(11..<13), number(14..<16))
            guard let day, hour < 24, minute < 60 else { throw .malformed }
            minutes = day.daysSince1970 * 1440 + hour * 60 + minute
        }

        /// Creates the minute that a local clock shows at a point in time.
        ///
        /// - Parameters:
        ///   - time: The point in time.
        ///   - utcOffset: The offset of the clock from UTC: 8 hours in Shanghai, negative in the west. A fraction of a
        ///     second is dropped.
        /// - Throws: ``ParseError/invalidOffset`` if the offset is 24 hours or more, ``ParseError/outOfRange`` if the minute is
        ///   outside the years 0001 to 9999.
        public init(_ time: UnixTime, utcOffset: Duration = .zero) throws(ParseError) {
            try self.init(unixTime: time.seconds, utcOffset: Int(utcOffset.components.seconds))
        }

        /// Creates the minute that a local clock shows at a point in time; both numbers are seconds.
        package init(unixTime: Int64, utcOffset: Int = 0) throws(ParseError) {
            guard utcOffset.magnitude < 86_400 else { throw .invalidOffset }
            // Far enough from the ends of the range that the sum below cannot overflow.
            guard unixTime.magnitude < 1 << 40 else { throw .outOfRange }
            let seconds = Int(unixTime) + utcOffset
            let minutes = seconds.flooredQuotientAndRemainder(dividingBy: 60).quotient
            guard
                (GregorianDay.first.daysSince1970 * 1440..<(GregorianDay.last.daysSince1970 + 1) * 1440)
                    .contains(minutes)
            else { throw .outOfRange }
            self.minutes = minutes
        }

        /// `yyyy-MM-dd HH:mm`.
        public var description: String {
            let (days, rest) = minutes.flooredQuotientAndRemainder(dividingBy: 1440)
            let day = GregorianDay(daysSince1970: days)
            func digits(_ number: Int, _ count: Int) -> String {
                let text = String(number)
                return String(repeating: "0", count: max(0, count - text.count)) + text
            }
            return "\(digits(day.year, 4))-\(digits(day.month, 2))-\(digits(day.day, 2)) "
                + "\(digits(rest / 60, 2)):\(digits(rest % 60, 2))"
        }

        /// Returns whether one minute is before another on the same clock.
        public static func < (left: Self, right: Self) -> Bool { left.minutes < right.minutes }
    }
}
