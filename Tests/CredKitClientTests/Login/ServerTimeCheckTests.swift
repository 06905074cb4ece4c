// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitClient

final class ServerTimeCheckTests: XCTestCase {
    /// 2016-08-17 02:00:30 UTC.
    private let now: UnixTime = 1_471_399_230

    private func check(
        _ text: String,
        _ zone: String? = nil,
        known: Int? = nil,
        accepted: Int? = nil,
        format: LoginProfile.ChallengeSource.Format = .minute,
        now: UnixTime? = nil
    ) throws -> Int? {
        try ServerTimeCheck(
            format: format,
            zone: zone.map { try ServerZone($0) },
            knownOffset: known.map { .minutes($0) },
            trustedUTCOffset: accepted.map { .minutes($0) }
        ).check(text, now: now ?? self.now)?.wholeMinutes
    }

    private func failure(_ body: () throws -> Int?) -> ClientError? {
        do {
            _ = try body()
            return nil
        } catch { return error as? ClientError }
    }

    func testChallengeIsAMinuteAloneOrWithAOneTimeValue() throws {
        let minute = "2016-08-17 10:00"
        let longest = minute + " " + String(repeating: "x", count: 128)
        for text in [minute, minute + " AZaz09-_", longest] { XCTAssertEqual(try check(text), 480, text) }
        for text in [
            longest + "x", minute + ":59", minute + "1", minute + " ", minute + "  x", minute + " x ",
            minute + " a b",
            minute + "|nonce", minute + " é", minute + " \u{212A}", minute + " x\n", minute + "\nx",
            minute + " a=",
            minute + " a+b", minute + "\u{301}", minute + " \u{301}", minute + "\0",
        ] {
            XCTAssertEqual(failure { try check(text) }, .malformedChallenge, text.debugDescription)
        }
        for text in [
            "", "2016-08-17", "2016-08-17T10:00", " 2016-08-17 10:00", "2016-8-17 10:00", "2016-08-17 10:0é",
            "2016-02-30 10:00", "2016-08-17 24:00", "2016-08-17 10:60", "0000-00-00 00:00", "now",
        ] {
            XCTAssertEqual(failure { try check(text) }, .malformedChallenge, text)
        }
    }

    func testOpaqueChallengesAreVisibleASCIIOfLimitedLength() throws {
        let longest = String(repeating: "x", count: 1024)
        for text in ["now", "2038-01-01 00:00:30", " {\"~|", longest] {
            XCTAssertNil(try check(text, format: .opaque))
        }
        for text in ["", longest + "x", "é", "a\n", "a\u{7F}", "a\tb", "\u{1B}[31m", "\u{212A}"] {
            XCTAssertEqual(
                failure { try check(text, format: .opaque) },
                .malformedChallenge,
                text.debugDescription
            )
        }
    }

    func testMinuteWithATimeZoneMustBeWithinFiveMinutes() throws {
        for (text, isNear) in [
            ("2016-08-17 09:54", false), ("2016-08-17 09:55", true), ("2016-08-17 10:05", true),
            ("2016-08-17 10:06", false), ("2016-08-17 11:00", false), ("2016-08-18 10:00", false),
            ("9999-12-31 23:59", false), ("0001-01-01 00:00", false),
        ] {
            for zone in ["+08:00", "Asia/Shanghai"] {
                let error = failure { try check(text, zone) }
                XCTAssertEqual(error, isNear ? nil : .clockSkew, text)
                // The remembered offset does not matter then.
                XCTAssertEqual(failure { try check(text, zone, known: 0) }, error)
            }
        }
        XCTAssertNil(try check("2016-08-17 10:00", "Asia/Shanghai"), "no offset should be stored")
        let ahead = failure { try check("2016-08-17 10:16", "+08:00") }
        XCTAssertTrue(ahead?.description.contains("16 minutes ahead of") ?? false)
        let behind = failure { try check("2016-08-17 09:44", "+08:00") }
        XCTAssertTrue(behind?.description.contains("16 minutes behind") ?? false)
        XCTAssertNil(try check("2016-08-17 07:45", "Asia/Kathmandu"))
    }

    func testServerMayChangeToAndFromSummerTimeSlightlyEarlyOrLate() throws {
        // Berlin, 2026-03-29 01:00 UTC: the clock jumps from 02:00 to 03:00. Two minutes before that, a server runs
        // three minutes ahead.
        let before = UnixTime(1_774_746_000 - 120)
        XCTAssertNil(try check("2026-03-29 01:58", "Europe/Berlin", now: before))
        XCTAssertNil(try check("2026-03-29 03:01", "Europe/Berlin", now: before))
        XCTAssertEqual(failure { try check("2026-03-29 02:01", "Europe/Berlin", now: before) }, .clockSkew)
        XCTAssertEqual(failure { try check("2026-03-29 03:04", "Europe/Berlin", now: before) }, .clockSkew)
        // 2026-10-25 01:00 UTC: the clock jumps back from 03:00 to 02:00.
        let after = UnixTime(1_792_890_000 + 120)
        XCTAssertNil(try check("2026-10-25 02:02", "Europe/Berlin", now: after))
        XCTAssertNil(try check("2026-10-25 02:59", "Europe/Berlin", now: after))
        XCTAssertEqual(failure { try check("2026-10-25 03:02", "Europe/Berlin", now: after) }, .clockSkew)
        // In the middle of summer only summer time is valid.
        XCTAssertEqual(failure { try check("2016-08-17 03:00", "Europe/Berlin") }, .clockSkew)
        XCTAssertNil(try check("2016-08-17 04:00", "Europe/Berlin"))
    }

    func testFirstOffsetIsAnExistingMultipleOfAQuarterHour() throws {
        for (text, offset) in [
            ("2016-08-17 10:05", 480), ("2016-08-17 09:55", 480), ("2016-08-16 14:00", -720),
            ("2016-08-17 16:00", 840),
            ("2016-08-17 07:45", 345), ("2016-08-16 22:30", -210), ("2016-08-17 02:00", 0),
            ("2016-08-17 16:05", 840),
            ("2016-08-16 13:55", -720),
        ] {
            XCTAssertEqual(try check(text), offset, text)
        }
        for text in [
            "2016-08-17 10:06", "2016-08-17 10:09", "2016-08-17 16:06", "2016-08-17 16:15",
            "2016-08-16 13:54",
            "2016-08-16 13:45", "2016-08-18 10:00", "2017-08-17 10:00", "9999-12-31 23:59",
            "0001-01-01 00:00",
        ] {
            XCTAssertEqual(failure { try check(text) }, .clockSkew, text)
        }
    }

    func testChangedOffsetIsRefusedUntilAccepted() throws {
        XCTAssertEqual(try check("2016-08-17 10:03", known: 480), 480)
        for (text, offset, isSummerTime) in [
            ("2016-08-17 11:00", 540, true), ("2016-08-17 09:00", 420, true),
            ("2016-08-17 10:15", 495, false),
            ("2016-08-17 02:00", 0, false), ("2016-08-17 12:00", 600, false),
        ] {
            let error = failure { try check(text, known: 480) }
            XCTAssertEqual(error, .serverUTCOffsetChanged)
            XCTAssertEqual(error?.serverUTCOffset, .minutes(offset))
            XCTAssertEqual(error?.description.contains("summer time"), isSummerTime)
            XCTAssertTrue(error?.description.contains("UTC+08:00") ?? false)
            XCTAssertEqual(failure { try check(text, known: 480, accepted: 481) }, .serverUTCOffsetChanged)
            XCTAssertEqual(try check(text, known: 480, accepted: offset), offset)
        }
        XCTAssertEqual(failure { try check("2016-08-17 10:08", known: 480, accepted: 488) }, .clockSkew)
        XCTAssertEqual(
            try check("2016-08-17 10:00", known: 480, accepted: 540),
            480,
            "the known offset should stay valid"
        )
        XCTAssertEqual(ServerTimeCheck.text(.minutes(-210)), "UTC-03:30")
    }

    func testClockBefore1970IsSupported() throws {
        XCTAssertEqual(try check("1969-12-31 23:59", now: -1), 0)
        XCTAssertNil(try check("1969-12-31 23:59", "UTC", now: -1))
        _ = failure { try check("1969-12-31 23:59", "UTC", now: .max) }
        _ = failure { try check("1969-12-31 23:59", "Europe/Dublin", now: .min) }
        _ = failure { try check("1969-12-31 23:59", now: .min) }
    }
}
