// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer

/// What every ``CredKitServer/ReplayStore`` must do.
///
/// ```swift
/// let clock = ManualClock()
/// try await ReplayStoreSuite(advance: clock.advance) { try InMemoryReplayStore(clock: clock) }.run()
/// try await ReplayStoreSuite { MyReplayStore(server) }.run()        // waits three seconds for the expiry
/// ```
///
/// The suite uses keys that are different in each run, so that stores may keep those of earlier runs.
public struct ReplayStoreSuite: Sendable {
    private let advance: @Sendable (Duration) async throws -> Void
    private let makeStore: @Sendable () async throws -> any ReplayStore

    /// The number of proofs of one user that the store remembers; `nil` to skip this check.
    public var perAccountLimit: Int?

    /// Whether a new store cannot know which proofs were used earlier, like one in memory. Default: `false`.
    public var startsEmpty = false

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - advance: Lets time pass on the clock of the store. Default: waits.
    ///   - makeStore: Returns a store.
    public init(
        advance: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        makeStore: @escaping @Sendable () async throws -> any ReplayStore
    ) {
        self.advance = advance
        self.makeStore = makeStore
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkSingleUse()
        try await checkConcurrency()
        try await checkHostileNames()
        try await checkExpiry()
        try await checkLimit()
        try await checkStart()
    }

    /// One store, and keys for it that were never used.
    private struct Fixture: Sendable {
        let store: any ReplayStore
        let prefix = HostileNames.uniquePrefix()

        func mark(
            _ name: String,
            of account: String = "alice",
            lifetime: Duration = .seconds(60),
            challengeAge: Duration = .zero
        ) async throws -> ReplayDecision {
            try await store.markUsed(
                StoreKey("proof", prefix + name),
                account: StoreKey("account", prefix + account),
                lifetime: lifetime,
                challengeAge: challengeAge
            )
        }

        func expect(
            _ expected: ReplayDecision,
            _ what: String,
            _ decision: ReplayDecision
        ) throws(SuiteFailure) {
            try SuiteFailure.check(decision == expected, "\(what) must be \(expected), but is \(decision)")
        }
    }

    private func fixture() async throws -> Fixture { Fixture(store: try await makeStore()) }

    private func checkSingleUse() async throws {
        let fixture = try await fixture()
        try fixture.expect(.accepted, "a new proof", try await fixture.mark("1"))
        try fixture.expect(.replayed, "a used proof", try await fixture.mark("1"))
        try fixture.expect(.replayed, "a used proof of another user", try await fixture.mark("1", of: "bob"))
        try fixture.expect(.accepted, "a second proof", try await fixture.mark("2"))
        try fixture.expect(.replayed, "an expired proof", try await fixture.mark("3", lifetime: .zero))
        try fixture.expect(
            .replayed,
            "a proof that expired long ago",
            try await fixture.mark("3", lifetime: .seconds(-1))
        )
    }

    private func checkConcurrency() async throws {
        for round in 0..<8 {
            let fixture = try await fixture()
            let decisions = try await ConcurrentCalls.run { _ in try await fixture.mark("\(round)") }
            let accepted = decisions.count { $0 == .accepted }
            let replayed = decisions.count { $0 == .replayed }
            try SuiteFailure.check(
                accepted == 1 && accepted + replayed == ConcurrentCalls.count,
                "of \(ConcurrentCalls.count) simultaneous uses of a proof exactly one must be accepted, "
                    + "but \(accepted) were accepted and \(replayed) replayed"
            )
        }
    }

    private func checkHostileNames() async throws {
        let fixture = try await fixture()
        for (index, name) in HostileNames.all.enumerated() {
            try fixture.expect(.accepted, "name \(index)", try await fixture.mark(name, of: name))
        }
        for (index, name) in HostileNames.all.enumerated() {
            try fixture.expect(.replayed, "name \(index), used again", try await fixture.mark(name, of: name))
        }
    }

    private func checkExpiry() async throws {
        let fixture = try await fixture()
        try fixture.expect(.accepted, "a new proof", try await fixture.mark("short", lifetime: .seconds(1)))
        try fixture.expect(.accepted, "a new proof", try await fixture.mark("long", lifetime: .seconds(60)))
        try await advance(.milliseconds(900))
        try fixture.expect(
            .replayed,
            "a used proof before it expires",
            try await fixture.mark("short", lifetime: .milliseconds(100))
        )
        try await advance(.milliseconds(2100))
        // Whether the short one is forgotten is up to the store, which may be generous; the other must be there.
        try fixture.expect(.replayed, "a proof whose lifetime has not ended", try await fixture.mark("long"))
    }

    private func checkLimit() async throws {
        guard let perAccountLimit else { return }
        let fixture = try await fixture()
        for index in 0..<perAccountLimit {
            let decision = try await fixture.mark("\(index)", lifetime: .seconds(index == 0 ? 1 : 60))
            try fixture.expect(.accepted, "proof \(index) of a user", decision)
        }
        let decision = try await fixture.mark("over")
        guard case .unavailable(let wait) = decision, wait > .zero else {
            throw SuiteFailure("a proof over the limit must be unavailable for a while, but is \(decision)")
        }
        try fixture.expect(.replayed, "a used proof of a user at the limit", try await fixture.mark("1"))
        try fixture.expect(.accepted, "a proof of another user", try await fixture.mark("b", of: "bob"))
        try await advance(.seconds(3))
        try fixture.expect(.accepted, "a proof after an earlier one expired", try await fixture.mark("over"))
        try fixture.expect(
            .replayed,
            "a proof that was over the limit before",
            try await fixture.mark("over")
        )
    }

    private func checkStart() async throws {
        guard startsEmpty else { return }
        let fixture = try await fixture()
        try await advance(.seconds(2))
        let decision = try await fixture.mark("1", challengeAge: .seconds(62))
        guard case .unavailable(let wait) = decision, wait > .seconds(50), wait <= .seconds(62) else {
            throw SuiteFailure(
                "a challenge older than the store must be unavailable for 60 s, but is \(decision)"
            )
        }
        try fixture.expect(
            .accepted,
            "a younger challenge",
            try await fixture.mark("1", challengeAge: .seconds(1))
        )
    }
}
