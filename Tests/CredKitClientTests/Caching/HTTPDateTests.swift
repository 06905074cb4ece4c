// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

@testable import CredKitClient

struct HTTPDateTests {
    struct Row: Sendable {
        let text: String
        let seconds: Int64?

        init(_ text: String, _ seconds: Int64?) {
            self.text = text
            self.seconds = seconds
        }
    }

    private let now = UnixTime(ScenarioDate.start)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func theThreeFormsOfRFC9110(date: String) {
        #expect(HTTPDate.parse(date, now: now) == UnixTime(784_111_777))
        #expect(HTTPDate.parse(date.uppercased(), now: now) == UnixTime(784_111_777))
        // One byte less or more is no date.
        #expect(HTTPDate.parse(String(date.dropLast()), now: now) == nil)
        #expect(HTTPDate.parse(date + " ", now: now) == nil)
        #expect(HTTPDate.parse(" " + date, now: now) == nil)
    }

    @Test func everyFormOfEveryDayIsReadAsTheCLibraryWroteIt() {
        for day in stride(from: Int64(0), to: 18_000, by: 7) {
            let time = day * 86_400 + (day * 7919) % 86_400
            for form in ["", "850 ", "asc "] {
                let text = ScenarioDate.text("\(form)0", now: time)
                #expect(HTTPDate.parse(text, now: now) == UnixTime(time), "\(text)")
            }
        }
    }

    /// The clock is at 2001-09-09 01:46:40.
    static let twoDigits: [Row] = [
        Row("Saturday, 09-Sep-51 01:46:40 GMT", 2_577_836_800),
        Row("Sunday, 09-Sep-51 01:46:41 GMT", -577_923_199),
        Row("Monday, 10-Sep-51 00:00:00 GMT", -577_843_200),
        Row("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
        Row("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799),
    ]

    @Test(arguments: HTTPDateTests.twoDigits)
    func twoDigitsAreAtMostFiftyYearsAhead(row: Row) {
        #expect(HTTPDate.parse(row.text, now: now)?.seconds == row.seconds)
    }

    static let leaps: [Row] = [
        Row("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), Row("Sat, 31 Dec 2016 23:58:60 GMT", nil),
        Row("Sat, 31 Dec 2016 23:59:61 GMT", nil), Row("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        Row("Thu, 29 Feb 2001 00:00:00 GMT", nil), Row("Sat, 01 Jan 0000 00:00:00 GMT", nil),
    ]

    @Test(arguments: HTTPDateTests.leaps)
    func leapSecondsAndLeapDays(row: Row) {
        #expect(HTTPDate.parse(row.text, now: now)?.seconds == row.seconds)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func clocksAtTheirLimitsAreNoTrap(seconds: Int64) {
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: UnixTime(seconds)) != nil)
    }
}
