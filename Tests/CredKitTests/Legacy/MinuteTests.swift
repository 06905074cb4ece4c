// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

final class MinuteTests: XCTestCase {
    func testTextRoundTrips() throws {
        for text in [
            "2026-01-02 03:04", "0001-01-01 00:00", "9999-12-31 23:59", "2000-02-29 12:00",
            "2024-02-29 00:00",
        ] {
            XCTAssertEqual(try Legacy.TimestampedLogin.Minute(text).description, text)
        }
    }

    func testRefusesInvalidTexts() {
        for text in [
            "", "2026-01-02", "2026-01-02T03:04", "2026-01-02 03:04:05", "2026-01-02 03:04 ",
            " 2026-01-02 03:04",
            "2026-1-02 03:04", "2026-01-02 3:04", "26-01-02 03:04", "2026/01/02 03:04", "2026-00-02 03:04",
            "2026-13-02 03:04", "2026-01-00 03:04", "2026-01-32 03:04", "2026-04-31 03:04",
            "2026-02-29 03:04",
            "1900-02-29 03:04", "2100-02-29 03:04", "2026-01-02 24:00", "2026-01-02 03:60",
            "0000-01-01 00:00",
            "-026-01-02 03:04", "+026-01-02 03:04", "2026-01-02 0x:04", "2026-01-02 03:04\0",
            "٢٠٢٦-٠١-٠٢ ٠٣:٠٤",
            "2026-01-02\u{00A0}03:04", "２０２６-01-02 03:04",
        ] {
            XCTAssertThrowsError(try Legacy.TimestampedLogin.Minute(text), text) {
                XCTAssertEqual($0 as? Legacy.TimestampedLogin.Minute.ParseError, .malformed)
            }
        }
    }

    func testPointsInTime() throws {
        // date -u -d @N '+%F %R'
        for (time, offset, text) in [
            (0, 0, "1970-01-01 00:00"), (-1, 0, "1969-12-31 23:59"), (59, 0, "1970-01-01 00:00"),
            (60, 0, "1970-01-01 00:01"), (1_767_294_240, 8 * 3600, "2026-01-02 03:04"),
            (1_767_294_240, -43_200, "2026-01-01 07:04"), (951_782_400, 0, "2000-02-29 00:00"),
            (-62_135_596_800, 0, "0001-01-01 00:00"), (253_402_300_799, 0, "9999-12-31 23:59"),
            (0, 20_700, "1970-01-01 05:45"), (0, -1, "1969-12-31 23:59"),
        ] {
            XCTAssertEqual(
                try Legacy.TimestampedLogin.Minute(UnixTime(Int64(time)), utcOffset: .seconds(offset))
                    .description,
                text
            )
        }
    }

    func testPointsInTimeOutsideTheRangeAreRefused() {
        for time in [Int64.min, -62_135_596_801, 253_402_300_800, Int64.max] {
            XCTAssertThrowsError(try Legacy.TimestampedLogin.Minute(UnixTime(time))) {
                XCTAssertEqual($0 as? Legacy.TimestampedLogin.Minute.ParseError, .outOfRange)
            }
        }
        for offset in [Int.min, -86_400, 86_400, Int.max] {
            XCTAssertThrowsError(try Legacy.TimestampedLogin.Minute(UnixTime(0), utcOffset: .seconds(offset)))
            {
                XCTAssertEqual($0 as? Legacy.TimestampedLogin.Minute.ParseError, .invalidOffset)
            }
        }
        XCTAssertThrowsError(
            try Legacy.TimestampedLogin.Minute(UnixTime(253_402_300_799), utcOffset: .seconds(60))
        )
        XCTAssertNoThrow(
            try Legacy.TimestampedLogin.Minute(UnixTime(253_402_300_799 + 3600), utcOffset: .seconds(-3600))
        )
    }

    func testAgreesWithTheSystemsCalendarForRandomTimes() throws {
        for _ in 0..<20_000 {
            var time = time_t.random(in: -62_135_596_800...253_402_300_799)
            var parts = tm()
            XCTAssertNotNil(gmtime_r(&time, &parts))
            let expected = String(
                format: "%04d-%02d-%02d %02d:%02d",
                parts.tm_year + 1900,
                parts.tm_mon + 1,
                parts.tm_mday,
                parts.tm_hour,
                parts.tm_min
            )
            let minute = try Legacy.TimestampedLogin.Minute(UnixTime(Int64(time)))
            XCTAssertEqual(minute.description, expected)
            XCTAssertEqual(try Legacy.TimestampedLogin.Minute(expected), minute)
        }
    }

    func testMinutesAreOrdered() throws {
        XCTAssertLessThan(
            try Legacy.TimestampedLogin.Minute("2025-12-31 23:59"),
            try Legacy.TimestampedLogin.Minute("2026-01-01 00:00")
        )
        XCTAssertEqual(
            try Legacy.TimestampedLogin.Minute(UnixTime(3600)),
            try Legacy.TimestampedLogin.Minute(UnixTime(0), utcOffset: .seconds(3600))
        )
    }
}
