// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient

extension FuzzTarget {
    /// Feeds HTTP dates to their parser, as text and as numbers that are in range or just beyond, beside a parser written
    /// anew.
    static let httpDates = FuzzTarget("http-dates") { bytes in
        var input = FuzzInput(bytes)
        let isText = input.byte() & 1 == 1
        // Up to the year 2385.
        let now = (Int64(input.byte()) << 8 | Int64(input.byte())) * 200_000 + Int64(input.byte())
        let text = isText ? input.remaining : HTTPDateProperties.written(&input)
        try HTTPDateProperties.check(text, now: now)
    }
}

private enum HTTPDateProperties {
    static func check(_ bytes: [UInt8], now: Int64) throws {
        guard let text = String(input: bytes) else { return }
        let time = HTTPDate.parse(text, now: UnixTime(now))
        try requireEqual(
            time?.seconds,
            ReferenceHTTPDate.parse(bytes, now: now),
            "an HTTP date is the same for both parsers: \(text)"
        )
        // Any clock: 29 February depends on the century.
        for extreme in [Int64.min, .max] { _ = HTTPDate.parse(text, now: UnixTime(extreme)) }
        guard let time else { return }
        try require(
            HTTPDate.parse("\(text) ", now: UnixTime(now)) == nil,
            "no further text is accepted: \(text)"
        )
        try require(-62_135_596_800...253_402_300_800 ~= time.seconds, "a date is in the calendar: \(time)")
    }

    /// A date in one of the three forms.
    static func written(_ input: inout FuzzInput) -> [UInt8] {
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let (form, name) = (input.number(below: 3), days[input.number(below: 7)])
        let (day, month) = (digits(input.number(below: 33)), months[input.number(below: 12)])
        let clock = [25, 61, 62].map { digits(input.number(below: $0)) }.joined(separator: ":")
        let (century, year) = (digits(input.number(below: 100)), digits(input.number(below: 100)))
        let text =
            switch form {
            case 0: "\(name.prefix(3)), \(day) \(month) \(century)\(year) \(clock) GMT"
            case 1: "\(name), \(day)-\(month)-\(year) \(clock) GMT"
            default:
                "\(name.prefix(3)) \(month) \(day.hasPrefix("0") ? " \(day.suffix(1))" : day) \(clock) \(century)\(year)"
            }
        return Array(text.utf8)
    }

    private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
