// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKit

final class UnixTimeTests: XCTestCase {
    func testArithmetic() {
        let time = UnixTime(1_471_428_000)
        XCTAssertEqual((time + .seconds(3600)).seconds, 1_471_431_600)
        XCTAssertEqual((time - .seconds(3600)).seconds, 1_471_424_400)
        XCTAssertEqual((time + .milliseconds(1999)).seconds, 1_471_428_001)
        XCTAssertEqual((time - .milliseconds(1999)).seconds, 1_471_427_999)
        XCTAssertEqual(time - UnixTime(1_471_424_400), .seconds(3600))
        XCTAssertEqual(UnixTime(1_471_424_400) - time, .seconds(-3600))
    }

    func testArithmeticStaysWithinTheRange() {
        let (first, last) = (UnixTime(.min), UnixTime(.max))
        XCTAssertEqual(last + .seconds(1), last)
        XCTAssertEqual(first - .seconds(1), first)
        XCTAssertEqual(first + .seconds(-1), first)
        XCTAssertEqual(last - .seconds(-1), last)
        XCTAssertEqual(UnixTime(0) + .seconds(Int64.max), last)
        XCTAssertEqual(UnixTime(-1) - .seconds(Int64.max), first)
        XCTAssertEqual(UnixTime(0) - .seconds(Int64.min), last)
        XCTAssertEqual(last - first, .seconds(Int64.max))
        XCTAssertEqual(first - last, .seconds(Int64.min))
        XCTAssertEqual(UnixTime(0) - first, .seconds(Int64.max))
    }

    func testTimesAreOrdered() {
        XCTAssertLessThan(UnixTime(-1), UnixTime(0))
        XCTAssertLessThan(UnixTime(.min), UnixTime(.max))
        XCTAssertGreaterThanOrEqual(UnixTime.now, UnixTime(1_700_000_000))
    }

    func testDescriptionsAreThoseOfRFC3339() {
        // date -u -d @N +%FT%TZ
        for (seconds, text) in [
            (1_471_428_000, "2016-08-17T10:00:00Z"), (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"), (951_782_461, "2000-02-29T00:01:01Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "253402300800"), (.min, "\(Int64.min)"), (.max, "\(Int64.max)"),
        ] as [(Int64, String)] {
            XCTAssertEqual(UnixTime(seconds).description, text)
        }
    }

    func testNumbersOfSecondsOutsideTheRangeBecomeTheNearestDuration() {
        for seconds: Double in [1e18, .greatestFiniteMagnitude, .infinity, .nan] {
            XCTAssertEqual(Duration(clampingSeconds: seconds), .seconds(Int64.max), "\(seconds)")
        }
        for seconds in [-0.0, -1, -Double.infinity] {
            XCTAssertEqual(Duration(clampingSeconds: seconds), .zero, "\(seconds)")
        }
        XCTAssertEqual(Duration(clampingSeconds: 0.25), .milliseconds(250))
    }
}
