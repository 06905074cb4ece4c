// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import FoundationEssentials

/// Converts times in the format of [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), a strict form of ISO 8601, in
/// the proleptic Gregorian calendar.
enum Timestamp {
    private static let millisecondsOfDay = 86_400_000
    /// The years 1 to 9999, in milliseconds since 1970.
    private static let range = -62_135_596_800_000...253_402_300_799_999

    /// Returns the milliseconds since 1970, which are what is stored; `nil` outside the years 1 to 9999.
    static func milliseconds(_ date: Date) -> Int? {
        guard let milliseconds = Int(exactly: (date.timeIntervalSince1970 * 1000).rounded()),
            range.contains(milliseconds)
        else { return nil }
        return milliseconds
    }

    /// Returns the time for milliseconds since 1970; `nil` outside the years 1 to 9999.
    static func date(milliseconds: Int) -> Date? {
        guard range.contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Returns the time for seconds since 1970; `nil` outside the years 1970 to 9999.
    static func date(seconds: UInt64) -> Date? {
        let (milliseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        guard !isTooLarge, let milliseconds = Int(exactly: milliseconds) else { return nil }
        return date(milliseconds: milliseconds)
    }

    /// Formats a time to the millisecond in UTC; returns `nil` outside the years 1 to 9999.
    static func text(_ date: Date) -> String? {
        guard let milliseconds = milliseconds(date) else { return nil }
        let (days, rest) = milliseconds.flooredQuotientAndRemainder(dividingBy: millisecondsOfDay)
        let day = GregorianDay(daysSince1970: days)
        return padded(day.year, 4) + "-" + padded(day.month) + "-" + padded(day.day)
            + "T" + padded(rest / 3_600_000) + ":" + padded(rest / 60_000 % 60) + ":"
            + padded(rest / 1000 % 60) + "." + padded(rest % 1000, 3) + "Z"
    }

    /// Formats a time to the second in UTC, as KeePassXC does; returns `nil` outside the years 1 to 9999.
    static func secondsText(_ date: Date) -> String? {
        // Rounding down: the text ends in ".678Z".
        text(date).map { $0.dropLast(5) + "Z" }
    }

    private static func padded(_ number: Int, _ count: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Parses a time and truncates it to milliseconds; returns `nil` if the text is not a valid time.
    static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[range] {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        func time(_ hourStart: Int) -> Int? {
            guard let hour = number(hourStart..<hourStart + 2), hour < 24,
                let minute = number(hourStart + 3..<hourStart + 5), minute < 60,
                bytes[hourStart + 2] == UInt8(ascii: ":")
            else { return nil }
            return (hour * 60 + minute) * 60
        }
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[16] == UInt8(ascii: ":"),
            let year = number(0..<4), let month = number(5..<7), let dayOfMonth = number(8..<10),
            let day = GregorianDay(year: year, month: month, day: dayOfMonth),
            let minutes = time(11), let second = number(17..<19), second < 60
        else { return nil }
        var milliseconds = day.daysSince1970 * millisecondsOfDay + (minutes + second) * 1000
        var position = 19
        if bytes[position] == UInt8(ascii: ".") {
            let digits = bytes[20...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            guard (1...9).contains(digits.count) else { return nil }
            for (digit, unit) in zip(digits, [100, 10, 1]) {
                milliseconds += Int(digit - UInt8(ascii: "0")) * unit
            }
            position += 1 + digits.count
        }
        guard position < bytes.count else { return nil }
        switch (bytes[position], bytes.count - position) {
        case (UInt8(ascii: "Z"), 1): break
        case (UInt8(ascii: "+"), 6), (UInt8(ascii: "-"), 6):
            guard let offset = time(position + 1) else { return nil }
            milliseconds -= (bytes[position] == UInt8(ascii: "+") ? offset : -offset) * 1000
        default: return nil
        }
        return date(milliseconds: milliseconds)
    }
}
