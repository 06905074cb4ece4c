// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Parses the dates of HTTP, RFC 9110 section 5.6.7: the fixed form, and the two obsolete ones.
///
/// Names may be in upper or lower case. Everything else must be as the grammar says, because an invalid
/// `Expires` counts as past (RFC 9111 section 5.3). `CookieDate` follows other rules.
enum HTTPDate {
    /// Parses a date.
    ///
    /// - Parameters:
    ///   - text: A date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - now: Decides the century of a year with two digits: at most 50 years ahead.
    /// - Returns: The point in time; `nil` if the text is not a date.
    static func parse(_ text: String, now: UnixTime) -> UnixTime? {
        guard text.utf8.count <= 40 else { return nil }
        var reader = Reader(bytes: Array(ASCIIText.lowercased(text).utf8)[...])
        guard let name = reader.name() else { return nil }
        if reader.skip(", ") {
            guard days.contains(where: { $0.prefix(3).elementsEqual(name) }) else {
                return days.contains(name) ? obsolete(&reader, now: now) : nil
            }
            return fixed(&reader)
        }
        guard days.contains(where: { $0.prefix(3).elementsEqual(name) }) else { return nil }
        return asctime(&reader)
    }

    /// `06 Nov 1994 08:49:37 GMT`
    private static func fixed(_ reader: inout Reader) -> UnixTime? {
        guard let day = reader.number(digits: 2), reader.skip(" "), let month = reader.month(),
            reader.skip(" "), let year = reader.number(digits: 4), reader.skip(" "),
            let second = reader.clock(), reader.skip(" gmt"), reader.isAtEnd
        else { return nil }
        return time(year: year, month: month, day: day, second: second)
    }

    /// `06-Nov-94 08:49:37 GMT`, of RFC 850
    private static func obsolete(_ reader: inout Reader, now: UnixTime) -> UnixTime? {
        guard let day = reader.number(digits: 2), reader.skip("-"), let month = reader.month(),
            reader.skip("-"), let digits = reader.number(digits: 2), reader.skip(" "),
            let second = reader.clock(), reader.skip(" gmt"), reader.isAtEnd
        else { return nil }
        // The calendar ends with the year 9999.
        let today = GregorianDay(daysSince1970: Int(max(0, min(now.seconds, 200_000_000_000)) / 86_400))
        let latestYear = today.year + 50
        let year = latestYear - (latestYear - digits) % 100
        let isTooLate =
            year == latestYear
            && (month, day, second) > (today.month, today.day, Int(max(0, now.seconds) % 86_400))
        return time(year: isTooLate ? year - 100 : year, month: month, day: day, second: second)
    }

    /// `Nov  6 08:49:37 1994`, of the C function asctime
    private static func asctime(_ reader: inout Reader) -> UnixTime? {
        guard reader.skip(" "), let month = reader.month(), reader.skip(" "),
            let day = reader.skip(" ") ? reader.number(digits: 1) : reader.number(digits: 2),
            reader.skip(" "), let second = reader.clock(), reader.skip(" "),
            let year = reader.number(digits: 4), reader.isAtEnd
        else { return nil }
        return time(year: year, month: month, day: day, second: second)
    }

    private static func time(year: Int, month: Int, day: Int, second: Int) -> UnixTime? {
        GregorianDay(year: year, month: month, day: day).map {
            UnixTime(Int64($0.daysSince1970 * 86_400 + second))
        }
    }

    private static let days: [[UInt8]] = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ].map { Array($0.utf8) }

    private static let months: [[UInt8]] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { Array($0.utf8) }

    /// Reads the parts of a date from its start.
    private struct Reader {
        var bytes: ArraySlice<UInt8>

        var isAtEnd: Bool { bytes.isEmpty }

        mutating func skip(_ text: String) -> Bool {
            let expected = text.utf8
            guard bytes.starts(with: expected) else { return false }
            bytes = bytes.dropFirst(expected.count)
            return true
        }

        mutating func name() -> [UInt8]? {
            let letters = bytes.prefix { (0x61...0x7A).contains($0) }
            bytes = bytes.dropFirst(letters.count)
            return letters.isEmpty ? nil : Array(letters)
        }

        mutating func month() -> Int? {
            guard let name = name() else { return nil }
            return months.firstIndex(of: name).map { $0 + 1 }
        }

        mutating func number(digits count: Int) -> Int? {
            let digits = bytes.prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            bytes = bytes.dropFirst(count)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Reads `08:49:37` as the seconds since midnight. Only the last second of a day may be a leap second.
        mutating func clock() -> Int? {
            guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
                let second = number(digits: 2), hour <= 23, minute <= 59
            else { return nil }
            guard second <= 59 || (hour, minute, second) == (23, 59, 60) else { return nil }
            return hour * 3600 + minute * 60 + second
        }
    }
}
