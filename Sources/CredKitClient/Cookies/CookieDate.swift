// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Parses the dates of `Expires` as in RFC 6265bis section 5.1.1: the parts may be in any order, with any
/// delimiters.
enum CookieDate {
    /// Parses a date.
    ///
    /// - Parameter text: A date, such as `Wed, 09 Jun 2021 10:18:14 GMT`. Every time zone is read as UTC.
    /// - Returns: The point in time; `nil` if the text is not a date.
    static func parse(_ text: some Collection<UInt8>) -> UnixTime? {
        var parts = Parts()
        for token in text.split(whereSeparator: isDelimiter) {
            parts.take(Array(token))
        }
        return parts.time
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The parts found so far. The first one of each kind counts.
    private struct Parts {
        private var clock: (hour: Int, minute: Int, second: Int)?
        private var day: Int?
        private var month: Int?
        private var year: Int?

        mutating func take(_ token: [UInt8]) {
            if clock == nil, let found = Self.clock(token) {
                clock = found
            } else if day == nil, let found = Self.number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = Self.number(token, digits: 2...4) {
                year = found
            }
        }

        var time: UnixTime? {
            guard let clock, let day, let month, var year else { return nil }
            switch year {
            case 70...99: year += 1900
            case 0...69: year += 2000
            default: break
            }
            guard year >= 1601, clock.hour <= 23, clock.minute <= 59, clock.second <= 59,
                let date = GregorianDay(year: year, month: month, day: day)
            else { return nil }
            return UnixTime(
                Int64(date.daysSince1970 * 86_400 + clock.hour * 3600 + clock.minute * 60 + clock.second)
            )
        }

        /// Returns the number that a token begins with; `nil` if its number of digits is out of range.
        private static func number(_ token: some Sequence<UInt8>, digits: ClosedRange<Int>) -> Int? {
            var number = 0
            var count = 0
            for byte in token {
                guard (0x30...0x39).contains(byte) else { break }
                count += 1
                guard count <= digits.upperBound else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            return digits.contains(count) ? number : nil
        }

        /// Parses `hour:minute:second`, followed by nothing or by a character that is not a digit.
        private static func clock(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
            let fields = token.split(
                separator: UInt8(ascii: ":"),
                maxSplits: 2,
                omittingEmptySubsequences: false
            )
            guard fields.count == 3, fields[0].count <= 2, fields[1].count <= 2,
                fields[0].allSatisfy({ (0x30...0x39).contains($0) }),
                fields[1].allSatisfy({ (0x30...0x39).contains($0) }),
                let hour = number(fields[0], digits: 1...2),
                let minute = number(fields[1], digits: 1...2),
                let second = number(fields[2], digits: 1...2)
            else { return nil }
            return (hour, minute, second)
        }

        private static func month(_ token: [UInt8]) -> Int? {
            let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
            let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
            return months.firstIndex(of: name).map { $0 + 1 }
        }
    }
}
