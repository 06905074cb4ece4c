// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitTerminal

/// The line of a transfer that shows bytes, rate and time left.
final class ProgressLineTests: XCTestCase {
    private func assert(
        _ done: Int,
        of total: Int?,
        first: Int = 0,
        after elapsed: Duration = .seconds(2),
        _ expected: String,
        line: UInt = #line
    ) {
        XCTAssertEqual(
            ProgressMeter.line(done: done, first: first, total: total, elapsed: elapsed),
            expected,
            line: line
        )
    }

    func testUsualTransfers() {
        assert(1024, of: nil, "1.0 KiB  512.0 B/s")
        assert(1024, of: 4096, "1.0 KiB  512.0 B/s  25 %  6 s left")
        assert(3 << 20, of: 4 << 20, first: 1 << 20, "3.0 MiB  1.0 MiB/s  75 %  1 s left")
        assert(999, of: 1000, "999.0 B  499.5 B/s  99 %  1 s left")
        assert(1000, of: 1000, "1000.0 B  500.0 B/s  100 %  0 s left")
    }

    func testNothingOfNothing() {
        assert(0, of: 0, "0.0 B  0.0 B/s")
        assert(0, of: nil, after: .zero, "0.0 B  0.0 B/s")
        assert(0, of: 10, after: .zero, "0.0 B  0.0 B/s  0 %")
    }

    func testAnyNumbersOfAServer() {
        assert(0, of: .max, "0.0 B  0.0 B/s  0 %")
        assert(.max, of: .max, "8388608.0 TiB  4194304.0 TiB/s  100 %  0 s left")
        assert(.max - 1, of: .max, first: .max - 1, "8388608.0 TiB  0.0 B/s  100 %")
        assert(.max, of: 1, "8388608.0 TiB  4194304.0 TiB/s")
        assert(2, of: 1, "2.0 B  1.0 B/s")
        assert(5, of: -1, "5.0 B  2.5 B/s")
        assert(5, of: .min, "5.0 B  2.5 B/s")
    }

    /// Bytes were discarded, or a clock went back.
    func testNegativeRates() {
        assert(2048, of: 8192, first: 4096, "2.0 KiB  0.0 B/s  25 %")
        assert(0, of: .max, first: .max, "0.0 B  0.0 B/s  0 %")
        assert(1, of: nil, after: .seconds(-5), "1.0 B  0.0 B/s")
        assert(-1, of: .max, first: .max, "-1.0 B  0.0 B/s")
        assert(1, of: 2, after: .nanoseconds(1), "1.0 B  953.7 MiB/s  50 %  1 s left")
    }
}
