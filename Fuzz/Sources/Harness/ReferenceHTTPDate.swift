// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// A second parser of HTTP dates, which compares with the three forms of RFC 9110, section 5.6.7, byte by byte, and asks
/// the C library for the calendar.
enum ReferenceHTTPDate {
    /// Capital letters stand for digits of day, year, hour, minute and second, `N` for the name of the month.
    private static let forms: [(dayNameByteCount: Int?, rest: String)] = [
        (3, ", DD NNN YYYY HH:MM:SS gmt"), (nil, ", DD-NNN-YY HH:MM:SS gmt"),
        (3, " NNN DD HH:MM:SS YYYY"), (3, " NNN  D HH:MM:SS YYYY"),
    ]
    private static let months = "janfebmaraprmayjunjulaugsepoctnovdec"
    private static let days = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    static func parse(_ text: [UInt8], now: Int64) -> Int64? {
        let text = text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        for name in days {
            for form in forms {
                let name = Array(name.utf8.prefix(form.dayNameByteCount ?? .max))
                guard text.starts(with: name),
                    let fields = fields(text.dropFirst(name.count), Array(form.rest.utf8))
                else { continue }
                return seconds(fields, hasShortYear: form.dayNameByteCount == nil, now: now)
            }
        }
        return nil
    }

    /// Returns the number of each kind; that of the month's name is its position in `months`.
    private static func fields(_ text: ArraySlice<UInt8>, _ form: [UInt8]) -> [UInt8: Int]? {
        guard text.count == form.count else { return nil }
        var fields: [UInt8: Int] = [:]
        var name: [UInt8] = []
        for (byte, expected) in zip(text, form) {
            if expected == UInt8(ascii: "N") {
                name.append(byte)
            } else if 0x41...0x5A ~= expected {
                guard 0x30...0x39 ~= byte else { return nil }
                fields[expected, default: 0] = fields[expected, default: 0] * 10 + Int(byte) - 0x30
            } else if byte != expected {
                return nil
            }
        }
        guard let month = (0..<12).first(where: { Array(months.utf8.dropFirst($0 * 3).prefix(3)) == name })
        else { return nil }
        fields[UInt8(ascii: "N")] = month
        return fields
    }

    private static func seconds(_ fields: [UInt8: Int], hasShortYear: Bool, now: Int64) -> Int64? {
        let order = Array("YNDHMS".utf8)
        var numbers = order.map { fields[$0] ?? 0 }
        if hasShortYear {
            // 50 years ahead, field by field. The latest year that is not beyond is the one that is meant.
            var (time, limit) = (time_t(now), tm())
            gmtime_r(&time, &limit)
            let latest = [limit.tm_year + 1950, limit.tm_mon, limit.tm_mday, limit.tm_hour, limit.tm_min]
            let end = latest.map { Int($0) } + [Int(limit.tm_sec)]
            var year = 9900 + numbers[0]
            while ([year] + numbers.dropFirst()).lexicographicallyPrecedes(end) == false,
                [year] + numbers.dropFirst() != end
            {
                year -= 100
            }
            numbers[0] = year
        }
        let isLeapSecond = numbers[3...] == [23, 59, 60]
        guard numbers[0] >= 1, numbers[3] <= 23, numbers[4] <= 59, numbers[5] <= 59 || isLeapSecond else {
            return nil
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(numbers[0] - 1900), Int32(numbers[1]))
        parts.tm_mday = Int32(numbers[2])
        let midnight = timegm(&parts)
        // timegm normalizes a day that does not exist, such as 30 February.
        guard parts.tm_mday == Int32(numbers[2]), parts.tm_mon == Int32(numbers[1]) else { return nil }
        return Int64(midnight) + Int64(numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
    }
}
