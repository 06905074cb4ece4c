// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitSystem

final class GregorianDayTests: XCTestCase {
    func testEachDayFollowsTheOneBefore() {
        // Three whole periods of 400 years, and the end of the range.
        for years in [1...1200, 9600...9999] {
            var expected = GregorianDay(year: years.lowerBound, month: 1, day: 1)?.daysSince1970 ?? 0
            for year in years {
                for month in 1...12 {
                    for day in 1...31 {
                        guard let date = GregorianDay(year: year, month: month, day: day) else { continue }
                        let same = GregorianDay(daysSince1970: expected)
                        guard date.daysSince1970 == expected, same.year == year, same.month == month,
                            same.day == day
                        else { return XCTFail("\(year)-\(month)-\(day)") }
                        expected += 1
                    }
                }
            }
        }
        XCTAssertEqual(GregorianDay(year: 1970, month: 1, day: 1)?.daysSince1970, 0)
        // date -u -d '9999-12-31' +%s
        XCTAssertEqual(GregorianDay.last.daysSince1970, 253_402_214_400 / 86_400)
        XCTAssertEqual(GregorianDay.first.daysSince1970, -62_135_596_800 / 86_400)
    }

    func testDaysThatDoNotExistAreRefused() {
        for (year, month, day) in [
            (0, 1, 1), (10_000, 1, 1), (-1, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32),
            (2026, 2, 29), (1900, 2, 29), (2000, 2, 30), (2026, 4, 31), (.max, 1, 1), (2026, .max, .min),
        ] {
            XCTAssertNil(GregorianDay(year: year, month: month, day: day), "\(year)-\(month)-\(day)")
        }
        XCTAssertNotNil(GregorianDay(year: 2000, month: 2, day: 29))
    }
}
