// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTesting
import XCTest

/// The stores in memory pass the suites, and broken stores fail them.
final class StoreSuiteTests: XCTestCase {
    func testReplayStoreInMemoryPassesItsSuite() async throws {
        let clock = ManualClock()
        var suite = ReplayStoreSuite(advance: { clock.advance(by: $0) }) {
            try InMemoryReplayStore(perAccountLimit: 8, clock: clock)
        }
        suite.perAccountLimit = 8
        suite.startsEmpty = true
        try await suite.run()
    }

    func testRateStoreInMemoryPassesItsSuite() async throws {
        let clock = ManualClock()
        try await RateStoreSuite(advance: { clock.advance(by: $0) }) { try InMemoryRateStore(clock: clock) }
            .run()
    }

    func testChallengeStoreInMemoryPassesItsSuite() async throws {
        let clock = ManualClock()
        try await ChallengeStoreSuite(advance: { clock.advance(by: $0) }) {
            try InMemoryChallengeStore(clock: clock)
        }.run()
    }

    func testSessionStoreInMemoryPassesItsSuite() async throws {
        let clock = ManualClock()
        try await SessionStoreSuite(advance: { clock.advance(by: $0) }) {
            try InMemorySessionStore(clock: clock)
        }.run()
    }

    func testAccountsInMemoryPassTheirSuite() async throws {
        try await WritableAccountsSuite { InMemoryAccounts([]) }.run()
    }

    func testCounterStoreInMemoryPassesItsSuite() async throws {
        try await OneTimeCodeCounterStoreSuite { InMemoryCounterStore() }.run()
    }

    func testPasskeyStoreInMemoryPassesItsSuite() async throws {
        try await PasskeyStoreSuite { InMemoryPasskeyStore() }.run()
    }

    func testBrokenPasskeyStoresFailTheSuite() async throws {
        for fault in BrokenPasskeyStore.Fault.allCases {
            let suite = PasskeyStoreSuite { BrokenPasskeyStore(fault) }
            await assertFails("\(fault)", expecting: fault.message) { try await suite.run() }
        }
    }

    func testBrokenCounterStoresFailTheSuite() async throws {
        for fault in BrokenCounterStore.Fault.allCases {
            let suite = OneTimeCodeCounterStoreSuite { BrokenCounterStore(fault) }
            await assertFails("\(fault)", expecting: fault.message) { try await suite.run() }
        }
    }

    func testBrokenAccountsFailTheSuite() async throws {
        for fault in BrokenAccounts.Fault.allCases {
            let suite = WritableAccountsSuite { BrokenAccounts(fault) }
            await assertFails("\(fault)", expecting: fault.message) { try await suite.run() }
        }
    }

    func testBrokenReplayStoresFailTheSuite() async throws {
        for fault in BrokenReplayStore.Fault.allCases {
            let clock = ManualClock()
            var suite = ReplayStoreSuite(advance: { clock.advance(by: $0) }) {
                BrokenReplayStore(fault, try InMemoryReplayStore(perAccountLimit: 8, clock: clock))
            }
            suite.perAccountLimit = 8
            suite.startsEmpty = true
            await assertFails("\(fault)", expecting: fault.message) { try await suite.run() }
        }
    }

    func testBrokenRateStoresFailTheSuite() async throws {
        for fault in BrokenRateStore.Fault.allCases {
            let clock = ManualClock()
            let suite = RateStoreSuite(advance: { clock.advance(by: $0) }) {
                BrokenRateStore(fault, try InMemoryRateStore(clock: clock))
            }
            await assertFails("\(fault)", expecting: fault.message) { try await suite.run() }
        }
    }

    func testBrokenChallengeStoresFailTheSuite() async throws {
        for fault in BrokenChallengeStore.Fault.allCases {
            let clock = ManualClock()
            let suite = ChallengeStoreSuite(advance: { clock.advance(by: $0) }) {
                BrokenChallengeStore(fault, try InMemoryChallengeStore(clock: clock))
            }
            await assertFails("\(fault)", expecting: fault.message) { try await suite.run() }
        }
    }

    func testBrokenSessionStoresFailTheSuite() async throws {
        for fault in BrokenSessionStore.Fault.allCases {
            let clock = ManualClock()
            let suite = SessionStoreSuite(advance: { clock.advance(by: $0) }) {
                BrokenSessionStore(fault, try InMemorySessionStore(clock: clock))
            }
            await assertFails("\(fault)", expecting: fault.message) { try await suite.run() }
        }
    }

    private func assertFails(
        _ name: String,
        expecting message: String,
        _ run: () async throws -> Void
    ) async {
        do {
            try await run()
            XCTFail("\(name): the suite passed")
        } catch let failure as SuiteFailure {
            XCTAssertTrue(failure.description.contains(message), "\(name): \(failure)")
        } catch {
            XCTFail("\(name): \(error)")
        }
    }
}
