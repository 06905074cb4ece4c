// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer
internal import CredKit

/// What every ``CredKitServer/MechanismUseStore`` must do.
///
/// ```swift
/// try await MechanismUseStoreSuite { MyMechanismUseStore(database) }.run()
/// ```
///
/// The suite uses mechanisms that are different in each run, so that stores may keep those of earlier runs.
public struct MechanismUseStoreSuite: Sendable {
    private let makeStore: @Sendable () async throws -> any MechanismUseStore

    /// Creates a suite.
    ///
    /// - Parameter makeStore: Returns a store.
    public init(makeStore: @escaping @Sendable () async throws -> any MechanismUseStore) {
        self.makeStore = makeStore
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkSums()
        try await checkNames()
        try await checkMany()
        try await checkConcurrency()
    }

    private func checkSums() async throws {
        let store = try await makeStore()
        let (first, other) = (Self.mechanism(), Self.mechanism())
        let now = UnixTime.now
        try await check(store, first, toHave: nil)
        let empty = try await store.accounts(using: first, since: UnixTime(0))
        try SuiteFailure.expect(empty, toEqual: [], "the accounts of an unknown mechanism")
        // The later times come first: earlier ones replace nothing.
        try await store.add(Self.addition(first, 3, now, 10, [("alice", 10), ("bob", 20)]))
        try await store.add(Self.addition(first, 2, now, 30, [("alice", 30), ("carol", 40)]))
        try await store.add(Self.addition(other, 1, now, 5, [("alice", 5)]))
        try await store.add(Self.addition(first, 0, now, 60))
        try await check(store, first, toHave: (5, 3, now - .seconds(10)))
        try await check(store, other, toHave: (1, 1, now - .seconds(5)))
        for (seconds, names) in [
            (9, []), (10, ["alice"]), (20, ["alice", "bob"]), (100, ["alice", "bob", "carol"]),
        ] {
            let found = try await store.accounts(using: first, since: now - .seconds(seconds))
            try SuiteFailure.expect(found, toEqual: names, "the accounts of the last \(seconds) seconds")
        }
    }

    private func checkNames() async throws {
        let store = try await makeStore()
        let mechanism = Self.mechanism()
        let time = UnixTime.now - .seconds(1)
        let uses = HostileNames.all.map { MechanismUse.AccountUse(account: $0, lastUse: time) }
        try await store.add(.init(mechanism: mechanism, logins: uses.count, lastUse: time, accounts: uses))
        let found = try await store.accounts(using: mechanism, since: time)
        try SuiteFailure.check(
            Set(found.map { Array($0.utf8) }) == Set(HostileNames.all.map { Array($0.utf8) })
                && found.count == uses.count,
            "names must be returned byte for byte, each once"
        )
    }

    /// More accounts than a store reads at once, many of them of the same second.
    private func checkMany() async throws {
        let store = try await makeStore()
        let mechanism = Self.mechanism()
        let now = UnixTime.now
        let names = (0..<2000).map { "account \($0)" }
        for start in stride(from: 0, to: names.count, by: 500) {
            let uses = (start..<start + 500).map {
                MechanismUse.AccountUse(
                    account: names[$0],
                    lastUse: now - .seconds($0 < 1200 ? 100 : $0 % 90)
                )
            }
            try await store.add(.init(mechanism: mechanism, logins: 500, lastUse: now, accounts: uses))
        }
        let all = try await store.accounts(using: mechanism, since: now - .seconds(1000))
        try SuiteFailure.check(
            all == names.sorted(),
            "all of \(names.count) accounts must be returned, each once"
        )
        let recent = try await store.accounts(using: mechanism, since: now - .seconds(99))
        try SuiteFailure.check(
            recent == names[1200...].sorted(),
            "accounts that logged in earlier must be left out"
        )
    }

    private func checkConcurrency() async throws {
        let store = try await makeStore()
        let mechanism = Self.mechanism()
        let time = UnixTime.now - .seconds(1)
        _ = try await ConcurrentCalls.run { index in
            let uses = (0..<20).map {
                MechanismUse.AccountUse(account: "\((index + $0) % 40)", lastUse: time)
            }
            try await store.add(.init(mechanism: mechanism, logins: 7, lastUse: time, accounts: uses))
        }
        try await check(store, mechanism, toHave: (7 * ConcurrentCalls.count, 40, time))
    }

    private func check(
        _ store: any MechanismUseStore,
        _ mechanism: String,
        toHave expected: (logins: Int, accounts: Int, lastUse: UnixTime)?
    ) async throws {
        let found = try await store.counts().filter { $0.mechanism == mechanism }
        let counts = expected.map {
            [
                MechanismUse.Count(
                    mechanism: mechanism,
                    logins: $0.logins,
                    accounts: $0.accounts,
                    lastUse: $0.lastUse
                )
            ]
        }
        try SuiteFailure.expect(found, toEqual: counts ?? [], "the counts of a mechanism")
    }

    /// A name of at most 64 characters.
    private static func mechanism() -> String { "suite-\(HostileNames.uniquePrefix())" }

    /// An addition with ages in seconds.
    private static func addition(
        _ mechanism: String,
        _ logins: Int,
        _ now: UnixTime,
        _ age: Int,
        _ accounts: [(String, Int)] = []
    ) -> MechanismUse.Addition {
        .init(
            mechanism: mechanism,
            logins: logins,
            lastUse: now - .seconds(age),
            accounts: accounts.map { .init(account: $0.0, lastUse: now - .seconds($0.1)) }
        )
    }
}
