// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import XCTest

@testable import CredKitServer

/// What the rule of a rate decides. The rule is written three times, and each of them is tested with these cases at the times that
/// they name: ``RateTable`` in Swift, `RedisRateStore.charging` in Lua and `SQLSchema.rates` in SQL.
///
/// The waits are those of the virtual scheduling algorithm of ITU-T I.371 with the increment `period / attempts` and the limit
/// `period - period / attempts`, computed by hand. Redis forgets by its own clock: no key here may be forgotten within a minute.
enum RateCases {
    static let all = [
        spacing, pause, single, remainder, allOrNone, longestWait, shorterLimit, longerLimit, smallInterval,
        reset, earlierTime,
    ]

    private static func rate(_ attempts: Int, per seconds: Int) -> RateLimit {
        RateLimit(unchecked: attempts, per: .seconds(seconds))
    }

    /// At once as many as the limit allows, and then one per interval.
    private static let spacing: RateCase = {
        let limit = rate(3, per: 180)
        return RateCase(
            "spacing",
            [
                RateStep(0, ["a": limit]),
                RateStep(0, ["a": limit]),
                RateStep(0, ["a": limit]),
                RateStep(0, ["a": limit], waits: 60),
                RateStep(0, ["a": limit], waits: 60),
                RateStep(0, ["b": limit]),
                RateStep(59.999999, ["a": limit], waits: 0.000001),
                RateStep(60, ["a": limit]),
                RateStep(60, ["a": limit], waits: 60),
                RateStep(150, ["a": limit]),
                RateStep(150, ["a": limit], waits: 30),
                RateStep(180, ["a": limit]),
                RateStep(186, ["a": limit], waits: 54),
            ]
        )
    }()

    /// After a pause all attempts are available again, and no more than those.
    private static let pause: RateCase = {
        let limit = rate(2, per: 120)
        return RateCase(
            "pause",
            [
                RateStep(0, ["a": limit]),
                RateStep(0, ["a": limit]),
                RateStep(0, ["a": limit], waits: 60),
                // The moment at which the key is free.
                RateStep(120, ["a": limit]),
                RateStep(120, ["a": limit]),
                RateStep(120, ["a": limit], waits: 60),
                RateStep(100_000, ["a": limit]),
                RateStep(100_000, ["a": limit]),
                RateStep(100_000, ["a": limit], waits: 60),
            ]
        )
    }()

    private static let single: RateCase = {
        let limit = rate(1, per: 86_400)
        return RateCase(
            "single",
            [
                RateStep(5, ["a": limit]),
                RateStep(5, ["a": limit], waits: 86_400),
                RateStep(86_404.999999, ["a": limit], waits: 0.000001),
                RateStep(86_405, ["a": limit]),
                RateStep(86_406, ["a": limit], waits: 86_399),
            ]
        )
    }()

    /// An interval is whole microseconds, rounded down: 85,714,285 here. All attempts take 599,999,995.
    private static let remainder: RateCase = {
        let limit = rate(7, per: 600)
        return RateCase(
            "remainder",
            [RateStep](repeating: RateStep(0, ["a": limit]), count: 7) + [
                RateStep(0, ["a": limit], waits: 85.714285),
                RateStep(85.714284, ["a": limit], waits: 0.000001),
                RateStep(85.714285, ["a": limit]),
                RateStep(85.714285, ["a": limit], waits: 85.714285),
                RateStep(171.428570, ["a": limit]),
                RateStep(171.428571, ["a": limit], waits: 85.714284),
            ]
        )
    }()

    /// An attempt counts for all of its keys or for none.
    private static let allOrNone: RateCase = {
        let (account, client) = (rate(2, per: 3600), rate(3, per: 3600))
        return RateCase(
            "all or none",
            [
                RateStep(0, ["client": client, "account": account]),
                RateStep(0, ["account": account, "client": client]),
                RateStep(0, ["client": client, "account": account], waits: 1800),
                RateStep(0, ["account": account, "client": client], waits: 1800),
                // None of the refused ones counted for the client,
                RateStep(0, ["client": client, "other": account]),
                RateStep(0, ["client": client, "other": account], waits: 1200),
                RateStep(0, ["other": account, "client": client], waits: 1200),
                // nor for the other account.
                RateStep(0, ["other": account]),
                RateStep(0, ["other": account], waits: 1800),
                RateStep(0, [:]),
            ]
        )
    }()

    /// The longest wait is the answer, in any order.
    private static let longestWait: RateCase = {
        let (minute, hour) = (rate(1, per: 60), rate(1, per: 3600))
        return RateCase(
            "longest wait",
            [
                RateStep(0, ["a": minute, "b": hour]),
                RateStep(0, ["a": minute, "b": hour, "c": minute], waits: 3600),
                RateStep(0, ["c": minute, "b": hour, "a": minute], waits: 3600),
                RateStep(0, ["c": minute, "a": minute], waits: 60),
                RateStep(60, ["a": minute, "b": hour], waits: 3540),
                RateStep(60, ["a": minute, "c": minute]),
                RateStep(3600, ["b": hour, "c": minute]),
                RateStep(3601, ["b": hour, "c": minute], waits: 3599),
            ]
        )
    }()

    /// A key that was counted under a longer limit waits no longer at a time than this one allows.
    private static let shorterLimit: RateCase = {
        let (short, long) = (rate(2, per: 120), rate(1, per: 3600))
        return RateCase(
            "shorter limit",
            [
                RateStep(0, ["a": long]),
                RateStep(0, ["a": short], waits: 60),
                RateStep(60, ["a": short], waits: 60),
                RateStep(3480, ["a": short], waits: 60),
                RateStep(3539, ["a": short], waits: 1),
                RateStep(3540, ["a": short]),
                RateStep(3540, ["a": short], waits: 60),
                RateStep(3660, ["a": short]),
                RateStep(3660, ["a": short]),
                RateStep(3660, ["a": short], waits: 60),
            ]
        )
    }()

    private static let longerLimit: RateCase = {
        let (short, long) = (rate(2, per: 120), rate(1, per: 3600))
        return RateCase(
            "longer limit",
            [
                RateStep(0, ["a": short]),
                RateStep(0, ["a": short]),
                RateStep(0, ["a": long], waits: 120),
                RateStep(119, ["a": long], waits: 1),
                RateStep(120, ["a": long]),
                RateStep(120, ["a": long], waits: 3600),
                RateStep(120, ["a": short], waits: 60),
            ]
        )
    }()

    /// The most attempts in the longest period: one every 86.4 milliseconds.
    private static let smallInterval: RateCase = {
        let (single, many) = (rate(1, per: 86_400), rate(1_000_000, per: 86_400))
        return RateCase(
            "small interval",
            [
                RateStep(0, ["a": single]),
                RateStep(0, ["a": many], waits: 0.0864),
                RateStep(0.086399, ["a": many], waits: 0.000001),
                RateStep(0.0864, ["a": many]),
                RateStep(0.0864, ["a": many], waits: 0.0864),
                RateStep(0.1728, ["a": many]),
                RateStep(0.1729, ["a": many], waits: 0.0863),
            ]
        )
    }()

    private static let reset: RateCase = {
        let limit = rate(1, per: 3600)
        return RateCase(
            "reset",
            [
                RateStep(0, ["a": limit, "b": limit]),
                RateStep(0, resets: "a"),
                RateStep(0, resets: "unknown"),
                RateStep(1, ["b": limit], waits: 3599),
                RateStep(1, ["a": limit]),
                RateStep(1, ["a": limit], waits: 3600),
            ]
        )
    }()

    /// Clocks are set back. A key then waits no longer at a time than for a clock that was not.
    private static let earlierTime: RateCase = {
        let limit = rate(3, per: 180)
        return RateCase(
            "earlier time",
            [
                RateStep(10_000, ["a": limit]),
                RateStep(10_000, ["a": limit]),
                RateStep(10_000, ["a": limit]),
                RateStep(0, ["a": limit], waits: 60),
                RateStep(60, ["a": limit], waits: 60),
                RateStep(10_060, ["a": limit]),
                RateStep(10_060, ["a": limit], waits: 60),
            ]
        )
    }()
}

/// What one store decides, step after step. Each case has keys of its own.
struct RateCase: Sendable {
    let name: String
    let steps: [RateStep]

    init(_ name: String, _ steps: [RateStep]) {
        self.name = name
        self.steps = steps
    }

    /// Runs the case in a store whose clock shows a time that can be set.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - setTime: Sets the time since 1970.
    /// - Throws: What the store throws.
    func run(
        in store: any RateStore,
        settingTime setTime: (Duration) async throws -> Void
    ) async throws {
        for (index, step) in steps.enumerated() {
            try await setTime(RateClock.start + step.time)
            switch step.action {
            case .charge(let limits, let expected):
                let charges = limits.map { RateCharge(StoreKey(name, $0.key), limit: $0.limit) }
                let result = try await store.charge(charges)
                XCTAssertEqual(result, expected, "step \(index) of the case '\(name)'")
            case .reset(let key): try await store.reset(StoreKey(name, key))
            }
        }
    }
}

/// An attempt or a reset at a time since the beginning of a case.
struct RateStep: Sendable {
    enum Action: Sendable {
        case charge([(key: String, limit: RateLimit)], RateLimitResult)
        case reset(String)
    }

    let time: Duration
    let action: Action

    /// An attempt.
    ///
    /// - Parameters:
    ///   - seconds: The time.
    ///   - limits: The keys with their limits, in the order in which the store gets them.
    ///   - wait: The expected wait in seconds; 0 if the attempt must be allowed.
    init(_ seconds: Double, _ limits: KeyValuePairs<String, RateLimit>, waits wait: Double = 0) {
        time = Self.duration(seconds)
        action = .charge(
            limits.map { (key: $0.key, limit: $0.value) },
            wait == 0 ? .allowed : .limited(retryAfter: Self.duration(wait))
        )
    }

    init(_ seconds: Double, resets key: String) {
        time = Self.duration(seconds)
        action = .reset(key)
    }

    /// The nearest whole microsecond: a `Double` holds few of them exactly.
    private static func duration(_ seconds: Double) -> Duration {
        .microseconds(Int64((seconds * 1_000_000).rounded()))
    }
}

/// The time that a store and the server which asks it are told.
final class RateClock: Sendable {
    /// When a case begins, in 2027: stores compute with microseconds since 1970.
    static let start = Duration.seconds(1_800_000_000)

    private let time = Lock(RateClock.start)

    /// The time since 1970.
    var now: Duration {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}

/// The rule in Swift.
final class RateCaseTests: XCTestCase {
    /// The table of an ``InMemoryRateStore``, whose clock is never set back.
    private actor Store: RateStore {
        private var table = RateTable(keyLimit: 100)
        private let clock: RateClock

        init(_ clock: RateClock) { self.clock = clock }

        func charge(_ charges: [RateCharge]) -> RateLimitResult { table.charge(charges, at: clock.now) }

        func reset(_ key: StoreKey) { table.reset(key) }
    }

    func testTableDecidesTheCasesOfTheRule() async throws {
        let clock = RateClock()
        let store = Store(clock)
        for rateCase in RateCases.all {
            try await rateCase.run(in: store) { clock.now = $0 }
        }
    }
}
