// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient
@testable import CredKitKeychain
@testable import CredKitSystem
import FoundationEssentials
import Glibc

extension FuzzTarget {
    /// Feeds the dates of cookies, of imports and of challenges to their parsers, beside parsers written anew.
    static let dates = FuzzTarget("dates") { bytes in
        try requireEqual(
            CookieDate.parse(bytes)?.seconds,
            ReferenceCookieDate.parse(bytes),
            "a cookie's date"
        )
        try DateProperties.checkWritten(bytes)
        guard let text = String(input: bytes) else { return }
        try DateProperties.checkTimestamp(text)
        try DateProperties.checkMinute(text)
        try DateProperties.checkTime(bytes)
    }
}

private enum DateProperties {
    /// A date in the usual form, with numbers that are in range or just beyond.
    static func checkWritten(_ bytes: [UInt8]) throws {
        guard bytes.count >= 7 else { return }
        let numbers = bytes.map { Int($0) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let year = numbers[6].isMultiple(of: 2) ? numbers[2] % 110 : 1590 + numbers[2]
        let text = Array(
            "\(numbers[0] % 33) \(months[numbers[1] % 12]) \(year) \(numbers[3] % 26):\(numbers[4] % 62):\(numbers[5] % 62)"
                .utf8
        )
        let reference = ReferenceCookieDate.parse(text)
        try requireEqual(
            CookieDate.parse(text)?.seconds,
            reference,
            "a cookie's date \(String(decoding: text, as: UTF8.self))"
        )
    }

    static func checkTimestamp(_ text: String) throws {
        guard let date = Timestamp.date(text) else { return }
        let printed = try Timestamp.text(date) ?? { throw PropertyFailure("a parsed time prints: \(text)") }()
        try requireEqual(Timestamp.date(printed), date, "a printed time is the same time")
        try requireEqual(Timestamp.text(date), printed, "a time prints in one way")
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        try requireEqual(seconds, referenceSeconds(text), "the time of \(text)")
        try require(text.utf8.count <= 40, "no further text is accepted: \(text)")
    }

    /// The seconds of a valid timestamp, from the C library.
    private static func referenceSeconds(_ text: String) -> Int? {
        guard var seconds = referenceSeconds(text.prefix(19), count: 6) else { return nil }
        if let sign = text.last == "Z" ? nil : text.suffix(6).first {
            let zone = text.suffix(5).split(separator: ":").compactMap { Int($0) }
            guard zone.count == 2 else { return nil }
            seconds -= (sign == "-" ? -1 : 1) * (zone[0] * 3600 + zone[1] * 60)
        }
        return seconds
    }

    static func checkMinute(_ text: String) throws {
        guard let minute = try? Legacy.TimestampedLogin.Minute(text) else { return }
        try requireEqual("\(minute)", text, "a minute has exactly one text")
        try requireEqual(
            minute.minutesSince1970 * 60,
            referenceSeconds(text[...], count: 5),
            "the time of \(text)"
        )
    }

    /// The seconds of year, month, day, hour, minute and maybe second, from the C library.
    private static func referenceSeconds(_ text: Substring, count: Int) -> Int? {
        let numbers = text.split { !$0.isNumber }.compactMap { Int32($0) }
        guard numbers.count == count else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], count > 5 ? numbers[5] : 0)
        return timegm(&parts)
    }

    static func checkTime(_ bytes: [UInt8]) throws {
        guard bytes.count >= 8 else { return }
        let seconds = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) } >> Int64(bytes.last ?? 0) % 40
        let time = UnixTime(seconds)
        guard let minute = try? Legacy.TimestampedLogin.Minute(time) else {
            try requireEqual("\(time)", "\(seconds)", "a time outside the calendar prints its seconds")
            return
        }
        try requireEqual(try Legacy.TimestampedLogin.Minute("\(minute)"), minute, "a minute is the same")
        let date = try Timestamp.date("\(time)") ?? { throw PropertyFailure("a time reads: \(time)") }()
        try requireEqual(Int64(date.timeIntervalSince1970), seconds, "a printed time is the same time")
        let day = GregorianDay(daysSince1970: Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400))
        try requireEqual(
            GregorianDay(year: day.year, month: day.month, day: day.day)?.daysSince1970,
            day.daysSince1970,
            "a day is the same"
        )
    }
}
