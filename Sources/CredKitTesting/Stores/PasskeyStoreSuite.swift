// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
public import CredKitServer

/// What every ``CredKitServer/PasskeyStore`` must do.
///
/// ```swift
/// try await PasskeyStoreSuite { InMemoryPasskeyStore() }.run()
/// ```
///
/// The suite uses accounts and passkeys that are different in each run, so that stores may keep those of earlier runs. A store
/// whose accounts must exist creates them in `prepare`.
public struct PasskeyStoreSuite: Sendable {
    static let time = UnixTime(1_800_000_000)

    private let makeStore: @Sendable () async throws -> any PasskeyStore
    private let prepare: @Sendable (_ account: String) async throws -> Void

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - prepare: Creates an account without passkeys. Default: does nothing.
    ///   - makeStore: Returns a store. All stores of a run must have the same content, or each its own.
    public init(
        prepare: @escaping @Sendable (_ account: String) async throws -> Void = { _ in },
        makeStore: @escaping @Sendable () async throws -> any PasskeyStore
    ) {
        self.prepare = prepare
        self.makeStore = makeStore
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkHandles(makeStore())
        try await checkContent(makeStore())
        try await checkIdentifiers(makeStore())
        try await checkLimit(makeStore())
        try await checkUse(makeStore())
        try await checkConcurrentUse(makeStore())
        try await checkRenaming(makeStore())
        try await checkRemoval(makeStore())
        try await checkConcurrentRemoval(makeStore())
        try await checkRequirement(makeStore())
        try await checkNames(makeStore())
    }

    private func checkHandles(_ store: any PasskeyStore) async throws {
        let account = try await account()
        let handles = try await ConcurrentCalls.run { _ in try await store.userHandle(ofAccountNamed: account)
        }
        try SuiteFailure.check(
            Set(handles).count == 1,
            "all calls for an account must get one user handle"
        )
        try SuiteFailure.check(1...64 ~= handles[0].count, "a user handle must have 1 to 64 bytes")
        let owner = try await store.account(ofUserHandle: handles[0])
        try SuiteFailure.check(
            HostileNames.areEqual(owner, account),
            "an account must be found by its user handle"
        )
        let other = try await store.userHandle(ofAccountNamed: self.account())
        try SuiteFailure.check(other != handles[0], "accounts must have different user handles")
        for unknown in [[], [1], SecureRandom.bytes(count: 32), SecureRandom.bytes(count: 4_096)] {
            let owner = try await store.account(ofUserHandle: unknown)
            try SuiteFailure.check(owner == nil, "an unknown user handle must have no account")
        }
    }

    private func checkContent(_ store: any PasskeyStore) async throws {
        let account = try await account()
        var added: [PasskeyCredential] = []
        for number in 0..<4 {
            var credential = try await credential(of: account, in: store)
            credential.record.signCount = number == 3 ? .max : UInt32(number)
            credential.record.isUserVerificationInitialized = number == 0
            credential.record.isBackupEligible = number > 0
            credential.record.isBackedUp = number > 1
            credential.record.transports = Array(["internal", "hybrid", "usb"].prefix(number))
            credential.name = ["", "Telefon \u{1F4F1}", "'; --\n\0", "\u{E9}"][number]
            if number == 2 { credential.lastUse = Self.time + .seconds(5) }
            try await add(credential, to: store)
            added.append(credential)
        }
        let stored = try await store.credentials(ofAccountNamed: account)
        try SuiteFailure.expect(stored, toEqual: added, "the passkeys of an account, in their order")
        for credential in added {
            let found = try await store.credential(id: credential.id)
            try SuiteFailure.expect(found, toEqual: credential, "a passkey by its identifier")
        }
        for unknown in [[], [1], SecureRandom.bytes(count: 32), SecureRandom.bytes(count: 1_023)] {
            let found = try await store.credential(id: unknown)
            try SuiteFailure.check(found == nil, "an unknown identifier must have no passkey")
        }
        let none = try await store.credentials(ofAccountNamed: self.account())
        try SuiteFailure.check(none.isEmpty, "a new account must have no passkeys")
    }

    private func checkIdentifiers(_ store: any PasskeyStore) async throws {
        let (alice, bob) = (try await account(), try await account())
        let first = try await credential(of: alice, in: store)
        let theirs = try await credential(of: bob, in: store, id: first.id)
        // The first one wins: the other must not take it over.
        let answers = try await ConcurrentCalls.run { index in
            try await store.add(index % 2 == 0 ? first : theirs, limit: 64)
        }
        try SuiteFailure.check(
            answers.count { $0 == .added } == 1 && answers.count { $0 == .refused } == answers.count - 1,
            "of many calls with one identifier, for any account, one must add it"
        )
        let winner = try await store.credential(id: first.id)
        let counts = [
            try await store.credentials(ofAccountNamed: alice).count,
            try await store.credentials(ofAccountNamed: bob).count,
        ]
        try SuiteFailure.expect(
            counts,
            toEqual: winner?.account == alice ? [1, 0] : [0, 1],
            "the numbers of passkeys after one identifier was added for two accounts"
        )
        // A longer identifier is another one, up to the longest.
        let long = try await credential(
            of: alice,
            in: store,
            id: first.id + [UInt8](repeating: 7, count: 991)
        )
        let isLongAdded = try await store.add(long, limit: 64) == .added
        try SuiteFailure.check(isLongAdded, "an identifier of 1,023 bytes must be added")
        let foreign = try await credential(of: bob, in: store)
        let mixed = PasskeyCredential(account: alice, record: foreign.record, name: "", created: Self.time)
        let answer = try await store.add(mixed, limit: 64)
        try SuiteFailure.expect(
            answer,
            toEqual: .refused,
            "adding a passkey with the user handle of another account"
        )
    }

    private func checkUse(_ store: any PasskeyStore) async throws {
        let account = try await account()
        let credential = try await credential(of: account, in: store)
        try await add(credential, to: store)
        var used = credential.record
        used.signCount = 5
        used.isBackupEligible = true
        used.isBackedUp = true
        let later = Self.time + .seconds(10)
        let steps: [(WebAuthn.CredentialRecord, WebAuthn.CredentialRecord, UnixTime, Bool, String)] = [
            (used, credential.record, later, true, "the use of the stored record"),
            (used, credential.record, later, false, "the use of an older record"),
            (used, used, Self.time, true, "an earlier use of an unchanged record"),
        ]
        for (new, old, time, isStored, name) in steps {
            let answer = try await store.recordUse(new, replacing: old, at: time)
            try SuiteFailure.check(answer == isStored, "\(name) must return \(isStored)")
        }
        var expected = credential
        expected.record = used
        expected.lastUse = later
        let stored = try await store.credential(id: credential.id)
        try SuiteFailure.expect(stored, toEqual: expected, "a passkey after its use")
        for change in [
            { $0.isBackedUp = false }, { $0.isUserVerificationInitialized.toggle() },
            { $0.signCount = 4 },
        ] as [@Sendable (inout WebAuthn.CredentialRecord) -> Void] {
            var other = used
            change(&other)
            let answer = try await store.recordUse(used, replacing: other, at: later)
            try SuiteFailure.check(
                !answer,
                "the use of a record with another flag or counter must return false"
            )
        }
        let unknown = try await self.credential(of: account, in: store).record
        let answer = try await store.recordUse(unknown, replacing: unknown, at: later)
        try SuiteFailure.check(!answer, "the use of an unknown passkey must return false")
    }

    private func checkConcurrentUse(_ store: any PasskeyStore) async throws {
        let account = try await account()
        let credential = try await credential(of: account, in: store)
        try await add(credential, to: store)
        let answers = try await ConcurrentCalls.run { index in
            var used = credential.record
            used.signCount = UInt32(index + 1)
            return try await store.recordUse(used, replacing: credential.record, at: Self.time)
        }
        let stored = try await store.credential(id: credential.id)?.record.signCount
        let winners = answers.indices.filter { answers[$0] }
        try SuiteFailure.check(
            winners.count == 1 && stored == UInt32(winners[0] + 1),
            "one of many uses of a record must be stored, but \(winners.count) were"
        )
    }

    /// Adds a new passkey.
    func add(_ credential: PasskeyCredential, to store: any PasskeyStore) async throws {
        let answer = try await store.add(credential, limit: 64)
        try SuiteFailure.expect(answer, toEqual: .added, "adding a new passkey")
    }

    /// Returns a new passkey of an account, which is not added.
    func credential(
        of account: String,
        in store: any PasskeyStore,
        id: [UInt8] = SecureRandom.bytes(count: 32)
    ) async throws -> PasskeyCredential {
        let record = WebAuthn.CredentialRecord(
            id: id,
            publicKey: SecureRandom.bytes(count: 77),
            userHandle: try await store.userHandle(ofAccountNamed: account),
            signCount: 0,
            isUserVerificationInitialized: true,
            isBackupEligible: false,
            isBackedUp: false,
            transports: ["usb"],
            aaguid: SecureRandom.bytes(count: 16)
        )
        return PasskeyCredential(account: account, record: record, name: "Key", created: Self.time)
    }

    /// Returns the name of a new account.
    func account(
        _ name: String = "a",
        prefix: String = HostileNames.uniquePrefix()
    ) async throws -> String {
        let account = prefix + name
        try await prepare(account)
        return account
    }
}
