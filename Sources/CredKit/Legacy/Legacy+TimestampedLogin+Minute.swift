// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

extension Legacy.TimestampedLogin {
    /// A minute in the format of the timestamped login: `yyyy-MM-dd HH:mm`, 16 ASCII characters.
    ///
    /// ```swift
    /// let minute = try Legacy.TimestampedLogin.Minute("2026-01-02 03:04")
    /// let now = try Legacy.TimestampedLogin.Minute(unixTime: 1_767_294_240, utcOffset: 8 * 3600)     // 2026-01-02 03:04 in Shanghai
    /// ```
    ///
    /// The calendar is the proleptic Gregorian one, from the year 0001 to 9999. Locale, calendar and time zone of the
    /// system have no influence: the same minute has the same text everywhere.
    public struct Minute: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// Why a minute is invalid.
        public struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
            private enum Code { case format, range, offset }

            private let code: Code

            /// The text is not a date and a time as `yyyy-MM-dd HH:mm`.
            public static let format = Self(code: .format)
            /// The point in time is outside the years 0001 to 9999.
            public static let range = Self(code: .range)
            /// The offset from UTC is 24 hours or more.
            public static let offset = Self(code: .offset)

            /// A description for people.
            public var description: String {
                switch code {
                case .format: "not a minute of the form 'yyyy-MM-dd HH:mm', for instance '2026-01-02 03:04'"
                case .range: "outside the years 0001 to 9999"
                case .offset: "an offset from UTC must be less than 24 hours"
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
        /// - Throws: ``ParseError/format`` for any other text.
        public init(_ text: some StringProtocol) throws(ParseError) {
            let bytes = Array(text.utf8)
            let pattern = Array("0000-00-00 00:00".utf8)
            guard bytes.count == pattern.count else { throw .format }
            for (byte, expected) in zip(bytes, pattern) {
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { throw .format }
            }
            func number(_ range: Range<Int>) -> Int {
                bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            }
            let day = GregorianDay(year: number(0..<4), month: number(5..<7), day: number(8..<10))
            let (hour, minute) = (number(11..<13), number(14..<16))
            guard let day, hour < 24, minute < 60 else { throw .format }
            minutes = day.daysSince1970 * 1440 + hour * 60 + minute
        }

        /// Creates the minute that a local clock shows at a point in time.
        ///
        /// - Parameters:
        ///   - unixTime: Seconds since 1970-01-01 00:00:00 UTC; negative before.
        ///   - utcOffset: The offset of the clock from UTC, in seconds: 28,800 in Shanghai, negative in the west.
        /// - Throws: ``ParseError/offset`` if the offset is 24 hours or more, ``ParseError/range`` if the minute is
        ///   outside the years 0001 to 9999.
        public init(unixTime: Int64, utcOffset: Int = 0) throws(ParseError) {
            guard utcOffset.magnitude < 86_400 else { throw .offset }
            // Far enough from the ends of the range that the sum below cannot overflow.
            guard unixTime.magnitude < 1 << 40 else { throw .range }
            let seconds = Int(unixTime) + utcOffset
            let minutes = seconds.flooredQuotientAndRemainder(dividingBy: 60).quotient
            guard
                (GregorianDay.first.daysSince1970 * 1440..<(GregorianDay.last.daysSince1970 + 1) * 1440)
                    .contains(minutes)
            else { throw .range }
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
