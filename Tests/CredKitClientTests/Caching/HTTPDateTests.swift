// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitClient

final class HTTPDateTests: XCTestCase {
    private let now = UnixTime(ScenarioDate.start)

    func testTheThreeFormsOfRFC9110() {
        let dates = [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ]
        for date in dates {
            XCTAssertEqual(HTTPDate.parse(date, now: now), UnixTime(784_111_777), date)
            XCTAssertEqual(HTTPDate.parse(date.uppercased(), now: now), UnixTime(784_111_777), date)
            // One byte less or more is no date.
            XCTAssertNil(HTTPDate.parse(String(date.dropLast()), now: now))
            XCTAssertNil(HTTPDate.parse(date + " ", now: now))
            XCTAssertNil(HTTPDate.parse(" " + date, now: now))
        }
    }

    func testEveryFormOfEveryDayIsReadAsTheCLibraryWroteIt() {
        for day in stride(from: Int64(0), to: 18_000, by: 7) {
            let time = day * 86_400 + (day * 7919) % 86_400
            for form in ["", "850 ", "asc "] {
                let text = ScenarioDate.text("\(form)0", now: time)
                XCTAssertEqual(HTTPDate.parse(text, now: now), UnixTime(time), text)
            }
        }
    }

    func testTwoDigitsAreAtMostFiftyYearsAhead() {
        // The clock is at 2001-09-09 01:46:40.
        let cases: [(String, Int64)] = [
            ("Saturday, 09-Sep-51 01:46:40 GMT", 2_577_836_800),
            ("Sunday, 09-Sep-51 01:46:41 GMT", -577_923_199),
            ("Monday, 10-Sep-51 00:00:00 GMT", -577_843_200),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
            ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799),
        ]
        for (text, seconds) in cases {
            XCTAssertEqual(HTTPDate.parse(text, now: now)?.seconds, seconds, text)
        }
    }

    func testLeapSecondsAndLeapDays() {
        let cases: [(String, Int64?)] = [
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Sat, 31 Dec 2016 23:58:60 GMT", nil),
            ("Sat, 31 Dec 2016 23:59:61 GMT", nil), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Thu, 29 Feb 2001 00:00:00 GMT", nil), ("Sat, 01 Jan 0000 00:00:00 GMT", nil),
        ]
        for (text, seconds) in cases {
            XCTAssertEqual(HTTPDate.parse(text, now: now)?.seconds, seconds, text)
        }
    }

    func testClocksAtTheirLimitsAreNoTrap() {
        for seconds in [Int64.min, -1, 0, .max] {
            XCTAssertNotNil(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: UnixTime(seconds)))
        }
    }
}
