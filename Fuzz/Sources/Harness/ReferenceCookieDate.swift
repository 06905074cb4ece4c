// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// A second parser of cookie dates, written from the algorithm of RFC 6265, section 5.1.1, which goes through the
/// productions of its grammar byte by byte.
enum ReferenceCookieDate {
    static func parse(_ text: [UInt8]) -> Int64? {
        var (time, day, month, year): ([Int]?, Int?, Int?, Int?)
        for token in tokens(text) {
            if time == nil, let value = clock(token) {
                time = value
            } else if day == nil, let (value, _) = digits(token, 1, 2), isEnd(token, after: value.count) {
                day = number(value)
            } else if month == nil, let value = monthNumber(token) {
                month = value
            } else if year == nil, let (value, _) = digits(token, 2, 4), isEnd(token, after: value.count) {
                year = number(value)
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if 70...99 ~= year { year += 1900 }
        if 0...69 ~= year { year += 2000 }
        guard 1...31 ~= day, year >= 1601, time[0] <= 23, time[1] <= 59, time[2] <= 59 else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time[0]), Int32(time[1]), Int32(time[2]))
        let seconds = timegm(&parts)
        // timegm normalizes a day that does not exist, such as 30 February.
        return parts.tm_mday == Int32(day) ? Int64(seconds) : nil
    }

    private static func tokens(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split { byte in
            byte == 9 || 0x20...0x2F ~= byte || 0x3B...0x40 ~= byte || 0x5B...0x60 ~= byte
                || 0x7B...0x7E ~= byte
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    /// The longest run of digits at the start, if it is neither too short nor too long, and the rest.
    private static func digits(
        _ text: ArraySlice<UInt8>,
        _ least: Int,
        _ most: Int
    ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        let run = text.prefix(while: isDigit)
        return least...most ~= run.count ? (run, text.dropFirst(run.count)) : nil
    }

    private static func isEnd(_ text: ArraySlice<UInt8>, after count: Int) -> Bool {
        text.dropFirst(count).first.map { !isDigit($0) } ?? true
    }

    private static func clock(_ text: ArraySlice<UInt8>) -> [Int]? {
        guard let (hour, afterHour) = digits(text, 1, 2), afterHour.first == UInt8(ascii: ":"),
            let (minute, afterMinute) = digits(afterHour.dropFirst(), 1, 2),
            afterMinute.first == UInt8(ascii: ":"),
            let (second, _) = digits(afterMinute.dropFirst(), 1, 2)
        else { return nil }
        return [number(hour), number(minute), number(second)]
    }

    private static func monthNumber(_ text: ArraySlice<UInt8>) -> Int? {
        let name = text.prefix(3).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        let names = "janfebmaraprmayjunjulaugsepoctnovdec"
        return (0..<12).first { Array(names.utf8.dropFirst($0 * 3).prefix(3)) == name }.map { $0 + 1 }
    }
}
