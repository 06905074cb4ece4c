// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

/// Counting in memory.
final class MechanismUseTests: XCTestCase {
    private let now = UnixTime(1_800_000_000)

    /// An earlier login that is counted later replaces no time.
    func testTheLatestTimesAreKept() {
        let use = MechanismUse()
        use.record("a", account: "alice", at: now)
        use.record("a", account: "alice", at: now - .seconds(5))
        use.record("a", account: "bob", at: now + .seconds(1))
        XCTAssertEqual(use.counts.map(\.logins), [3])
        XCTAssertEqual(use.counts.map(\.accounts), [2])
        XCTAssertEqual(use.counts.map(\.lastUse), [now + .seconds(1)])
        XCTAssertEqual(use.lastUse(of: "a", byAccountNamed: "alice"), now)
        XCTAssertEqual(use.accounts(using: "a", since: now), ["alice", "bob"])
        XCTAssertEqual(use.accounts(using: "a", since: now + .seconds(1)), ["bob"])
    }
}
