// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer

/// What every ``CredKitServer/WritableAccounts`` must do.
///
/// ```swift
/// try await WritableAccountsSuite { InMemoryAccounts([]) }.run()
/// ```
///
/// The suite uses names that are different in each run, and removes what it has added.
public struct WritableAccountsSuite: Sendable {
    private let makeAccounts: @Sendable () async throws -> any WritableAccounts

    /// Texts behind a unique prefix, as parts of names. Neighbours may be equal as Swift strings. The default has no NUL, since few
    /// tables can hold one.
    public var names = [
        "alice", "alice ", "Alice", "\u{E9}", "e\u{301}", "K", "\u{212A}", "' OR '1'='1",
        "\"; DROP TABLE users; --", "%s\\n",
        "\u{202E}ecila", "💧",
    ]

    /// Creates a suite.
    ///
    /// - Parameter makeAccounts: Returns the table.
    public init(makeAccounts: @escaping @Sendable () async throws -> any WritableAccounts) {
        self.makeAccounts = makeAccounts
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the table.
    public func run() async throws {
        try await checkChanges()
        try await checkNames()
        try await checkConcurrency()
    }

    /// Two credentials that no check verifies a password against.
    private static func credentials() throws -> (StoredCredential, StoredCredential) {
        (
            try StoredCredential("97070e99c2efa11e14a1b6f5407b4209"),
            try StoredCredential("5f4dcc3b5aa765d61d8327deb882cf99")
        )
    }

    private func checkChanges() async throws {
        let accounts = try await makeAccounts()
        let (one, two) = try Self.credentials()
        let name = HostileNames.uniquePrefix() + "alice"
        func set(_ newer: StoredCredential, _ old: StoredCredential?, _ expected: Bool, _ what: String)
            async throws
        {
            let isStored = try await accounts.set(newer, inPlaceOf: old, ofAccountNamed: name)
            try SuiteFailure.check(isStored == expected, "\(what): the answer must be \(expected)")
        }
        func expect(_ credential: StoredCredential?, _ what: String) async throws {
            let account = try await accounts.account(named: name)
            try SuiteFailure.check(
                account?.credential == credential
                    && account.map { HostileNames.areEqual($0.name, name) } ?? true,
                "\(what): the account must have the credential that was stored last"
            )
        }
        try await set(two, one, false, "an unknown account")
        try await set(two, .unusable, false, "an unknown account without a password")
        try await expect(nil, "an unknown account")
        try await set(.unusable, nil, true, "a new account")
        try await expect(.unusable, "a new account")
        try await set(one, nil, false, "a new account of a name that exists")
        try await expect(.unusable, "a new account of a name that exists")
        try await set(two, one, false, "another old credential")
        try await set(one, .unusable, true, "a first password")
        try await expect(one, "a first password")
        try await set(two, .unusable, false, "a first password that came second")
        try await set(one, one, true, "the same credential")
        try await set(two, one, true, "a changed password")
        try await set(one, one, false, "a password that has changed")
        try await expect(two, "a changed password")
        let (first, second) = (
            try await accounts.remove(accountNamed: name), try await accounts.remove(accountNamed: name)
        )
        try SuiteFailure.check(first && !second, "an account must be removed once")
        try await expect(nil, "a removed account")
        try await set(two, two, false, "a removed account")
    }

    private func checkNames() async throws {
        let accounts = try await makeAccounts()
        let (one, two) = try Self.credentials()
        let prefix = HostileNames.uniquePrefix()
        let all = names.map { prefix + $0 }
        for name in all {
            let isStored = try await accounts.set(.unusable, inPlaceOf: nil, ofAccountNamed: name)
            try SuiteFailure.check(isStored, "a hostile name must be a new account: \(name.debugDescription)")
        }
        let listed = try await accounts.accountNames().map { Array($0.utf8) }
        let bytes = all.map { Array($0.utf8) }
        try SuiteFailure.check(
            listed.filter { bytes.contains($0) } == bytes.sorted { $0.lexicographicallyPrecedes($1) },
            "all names must be listed once, in the order of their bytes"
        )
        for (index, name) in all.enumerated() {
            let isStored = try await accounts.set(
                index.isMultiple(of: 2) ? one : two,
                inPlaceOf: .unusable,
                ofAccountNamed: name
            )
            try SuiteFailure.check(isStored, "a hostile name must be found: \(name.debugDescription)")
        }
        for (index, name) in all.enumerated() {
            let account = try await accounts.account(named: name)
            try SuiteFailure.check(
                account?.credential == (index.isMultiple(of: 2) ? one : two),
                "a change must not touch other names: \(name.debugDescription)"
            )
            let isRemoved = try await accounts.remove(accountNamed: name)
            try SuiteFailure.check(isRemoved, "a hostile name must be removed: \(name.debugDescription)")
        }
        let rest = try await accounts.accountNames().filter { $0.hasPrefix(prefix) }
        try SuiteFailure.check(rest.isEmpty, "removed names must not be listed")
        // A table that cannot hold a name says so by its answer.
        let odd = prefix + "alice\0bob"
        let isStored = try await accounts.set(one, inPlaceOf: nil, ofAccountNamed: odd)
        let cut = try await accounts.account(named: prefix + "alice")
        try SuiteFailure.check(cut == nil, "a name with NUL must not be stored without what follows")
        let isRemoved = try await accounts.remove(accountNamed: odd)
        try SuiteFailure.check(isRemoved == isStored, "a name with NUL must be removed if it was stored")
    }

    private func checkConcurrency() async throws {
        let accounts = try await makeAccounts()
        let (one, _) = try Self.credentials()
        let name = HostileNames.uniquePrefix() + "alice"
        let credentials = try (0..<ConcurrentCalls.count).map { index in
            // 32 hexadecimal digits.
            try StoredCredential(String(index + 16, radix: 16) + String(repeating: "a", count: 30))
        }
        for old in [nil, one] as [StoredCredential?] {
            let answers = try await ConcurrentCalls.run { index in
                try await accounts.set(credentials[index], inPlaceOf: old, ofAccountNamed: name)
            }
            let winners = credentials.indices.filter { answers[$0] }
            try SuiteFailure.check(
                winners.count == 1,
                "of \(ConcurrentCalls.count) simultaneous changes exactly one must be stored, but \(winners.count) were"
            )
            let stored = try await accounts.account(named: name)?.credential
            try SuiteFailure.check(
                stored == credentials[winners[0]],
                "the change that was stored must be the one whose answer is true"
            )
            _ = try await accounts.set(one, inPlaceOf: stored, ofAccountNamed: name)
        }
        let removed = try await ConcurrentCalls.run { _ in try await accounts.remove(accountNamed: name) }
        try SuiteFailure.check(removed.count { $0 } == 1, "exactly one call must remove an account")
    }
}
