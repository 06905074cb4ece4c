// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer

/// What every ``CredKitServer/OneTimeCodeCounterStore`` must do.
///
/// ```swift
/// try await OneTimeCodeCounterStoreSuite { InMemoryCounterStore() }.run()
/// ```
///
/// The suite uses accounts that are different in each run, so that stores may keep those of earlier runs. A store whose
/// accounts must exist creates them in `prepare`.
public struct OneTimeCodeCounterStoreSuite: Sendable {
    private let makeStore: @Sendable () async throws -> any OneTimeCodeCounterStore
    private let prepare: @Sendable (_ account: String) async throws -> Void

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - prepare: Creates an account without a counter. Default: does nothing.
    ///   - makeStore: Returns a store.
    public init(
        prepare: @escaping @Sendable (_ account: String) async throws -> Void = { _ in },
        makeStore: @escaping @Sendable () async throws -> any OneTimeCodeCounterStore
    ) {
        self.prepare = prepare
        self.makeStore = makeStore
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkOrder()
        try await checkConcurrency()
        try await checkNames()
    }

    private func checkOrder() async throws {
        let store = try await makeStore()
        let account = try await account("a")
        try SuiteFailure.check(
            try await store.counter(of: account) == nil,
            "a new account must have no counter"
        )
        for (counter, isStored, result) in [
            (5, true, 5), (5, false, 5), (4, false, 5), (0, false, 5), (6, true, 6), (1 << 40, true, 1 << 40),
        ] as [(UInt64, Bool, UInt64)] {
            let answer = try await store.advance(to: counter, of: account)
            try SuiteFailure.check(answer == isStored, "storing \(counter) must return \(isStored)")
            let stored = try await store.counter(of: account)
            try SuiteFailure.check(stored == result, "the counter must be \(result) after storing \(counter)")
        }
    }

    private func checkConcurrency() async throws {
        let store = try await makeStore()
        let account = try await account("a")
        for counter in [1, 2, 3] as [UInt64] {
            let answers = try await ConcurrentCalls.run { _ in
                try await store.advance(to: counter, of: account)
            }
            let count = answers.count { $0 }
            try SuiteFailure.check(count == 1, "one of many calls must store \(counter), but \(count) did")
        }
    }

    private func checkNames() async throws {
        let store = try await makeStore()
        let prefix = HostileNames.uniquePrefix()
        // Names that Swift compares as equal.
        let accounts = [
            try await account("\u{E9}", prefix: prefix), try await account("e\u{301}", prefix: prefix),
        ]
        _ = try await store.advance(to: 7, of: accounts[0])
        let other = try await store.counter(of: accounts[1])
        try SuiteFailure.check(other == nil, "accounts with different bytes must have different counters")
    }

    private func account(
        _ name: String,
        prefix: String = HostileNames.uniquePrefix()
    ) async throws -> String {
        let account = prefix + name
        try await prepare(account)
        return account
    }
}
