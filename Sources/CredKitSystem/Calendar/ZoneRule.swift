// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The rule of a zone for the time after the last change in its file, in the POSIX format of `TZ`:
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Sendable {
    /// The day and second at which a change happens.
    private struct Change {
        enum Day {
            /// `Jn`: 1 to 365; 29 February is never counted.
            case julian(Int)
            /// `n`: 0 to 365.
            case zeroBased(Int)
            /// `Mm.w.d`: a day of the week; week 5 means the last one in the month.
            case weekday(month: Int, week: Int, day: Int)
        }

        let day: Day
        /// Seconds of local time from the start of the day; may be negative.
        let second: Int
    }

    private let standard: Int
    private let summer: Int
    private let changes: (begin: Change, end: Change)?

    /// Parses a rule; `nil` if it is malformed.
    init?(_ text: String) {
        var rest = text[...]
        guard Self.skipName(&rest), let west = Self.time(&rest) else { return nil }
        standard = -west
        guard !rest.isEmpty else {
            summer = standard
            changes = nil
            return
        }
        guard Self.skipName(&rest) else { return nil }
        if rest.hasPrefix(",") {
            summer = standard + 3600
        } else {
            guard let west = Self.time(&rest) else { return nil }
            summer = -west
        }
        guard let begin = Self.change(&rest), let end = Self.change(&rest), rest.isEmpty else { return nil }
        changes = (begin, end)
    }

    /// Returns how far clocks are ahead of UTC at a point in time, in seconds.
    func utcOffset(at unixTime: Int64) -> Int {
        guard let changes, unixTime.magnitude < 1 << 40 else { return standard }
        let day = Int(unixTime).flooredQuotientAndRemainder(dividingBy: 86_400).quotient
        let year = GregorianDay(daysSince1970: day).year
        let now = Int(unixTime)
        // Find the latest change before now. In the southern hemisphere it may be in the previous year. In
        // the first hours of a year, it may belong to the previous year of the rule.
        var latest: (time: Int, isSummer: Bool)?
        for year in year - 1...year + 1 {
            guard let begin = Self.time(of: changes.begin, year: year),
                let end = Self.time(of: changes.end, year: year)
            else { continue }
            // Each change is in the local time before it. If summer time begins when it ends, it continues.
            for (time, isSummer) in [(end - summer, false), (begin - standard, true)] where time <= now {
                if latest.map({ time >= $0.time }) ?? true { latest = (time, isSummer) }
            }
        }
        return latest?.isSummer ?? false ? summer : standard
    }

    /// Returns the seconds of local time from 1970.
    private static func time(of change: Change, year: Int) -> Int? {
        guard let newYear = GregorianDay(year: year, month: 1, day: 1)?.daysSince1970 else { return nil }
        let day: Int
        switch change.day {
        case .zeroBased(let number): day = newYear + number
        case .julian(let number):
            let isLeap = GregorianDay(year: year, month: 2, day: 29) != nil
            day = newYear + number - 1 + (isLeap && number > 59 ? 1 : 0)
        case .weekday(let month, let week, let weekday):
            guard let first = GregorianDay(year: year, month: month, day: 1)?.daysSince1970 else {
                return nil
            }
            // 1 January 1970 was a Thursday.
            let firstWeekday = (first + 4).flooredQuotientAndRemainder(dividingBy: 7).remainder
            var found = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            let next =
                month == 12
                ? GregorianDay(year: year + 1, month: 1, day: 1)
                : GregorianDay(year: year, month: month + 1, day: 1)
            if let next, found >= next.daysSince1970 { found -= 7 }
            day = found
        }
        return day * 86_400 + change.second
    }

    /// Skips `CET` or `<+0330>`.
    private static func skipName(_ rest: inout Substring) -> Bool {
        if rest.hasPrefix("<") {
            guard let end = rest.firstIndex(of: ">") else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let name = rest.prefix { $0.isASCII && $0.isLetter }
        rest = rest[name.endIndex...]
        return name.count >= 3
    }

    /// Parses `-1` or `10:30:00`, with at most 167 hours, into seconds.
    private static func time(_ rest: inout Substring) -> Int? {
        let sign = rest.first == "-" ? -1 : 1
        if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
        guard let hours = number(&rest, upTo: 167) else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] where rest.first == ":" {
            rest = rest.dropFirst()
            guard let more = number(&rest, upTo: 59) else { return nil }
            seconds += more * unit
        }
        return sign * seconds
    }

    private static func number(_ rest: inout Substring, upTo limit: Int) -> Int? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest[digits.endIndex...]
        guard digits.count <= 3, let number = Int(digits), number <= limit else { return nil }
        return number
    }

    private static func change(_ rest: inout Substring) -> Change? {
        guard rest.hasPrefix(",") else { return nil }
        rest = rest.dropFirst()
        let day: Change.Day
        switch rest.first {
        case "M":
            rest = rest.dropFirst()
            guard let month = number(&rest, upTo: 12), month > 0, rest.first == "." else { return nil }
            rest = rest.dropFirst()
            guard let week = number(&rest, upTo: 5), week > 0, rest.first == "." else { return nil }
            rest = rest.dropFirst()
            guard let weekday = number(&rest, upTo: 6) else { return nil }
            day = .weekday(month: month, week: week, day: weekday)
        case "J":
            rest = rest.dropFirst()
            guard let number = number(&rest, upTo: 365), number > 0 else { return nil }
            day = .julian(number)
        default:
            guard let number = number(&rest, upTo: 365) else { return nil }
            day = .zeroBased(number)
        }
        guard rest.first == "/" else { return Change(day: day, second: 7200) }
        rest = rest.dropFirst()
        guard let second = time(&rest) else { return nil }
        return Change(day: day, second: second)
    }
}
