// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
public import CredKitKeychain

/// The behavior that every `CredentialStore` must have.
///
/// Run it in any test framework:
///
/// ```swift
/// func testStorePassesTheSuite() async throws {
///     try await CredentialStoreSuite { MyStore(path: newTemporaryPath()) }.run()
/// }
/// ```
///
/// The suite tests that items are stored, replaced, found, sorted and deleted by all parts of their keys, compared as
/// bytes; that secrets of any bytes up to 1 MiB are returned unchanged; that invalid and too large items are refused;
/// that batches of a store with `atomicUpdates` are made completely or not at all; that a locked store reveals nothing;
/// and that many tasks can use the store at once.
public struct CredentialStoreSuite: Sendable {
    /// Whether the store saves the content type of an item; `true` by default.
    public var savesContentTypes = true

    /// Unlocks a store that cannot be unlocked without a prompt, which tests do not allow: `unlock()` must then throw
    /// `KeychainError.locked`. `nil`, the default, for a store that `unlock()` unlocks.
    public var unlockWithoutPrompt: (@Sendable (any CredentialStore) async throws -> Void)?

    /// How long each part of the suite may take; a minute by default.
    public var timeLimit = Duration.seconds(60)

    let makeStore: @Sendable () async throws -> any CredentialStore

    /// Creates a suite.
    ///
    /// - Parameter makeStore: Returns an empty, unlocked store. The parts of the suite run one after the other, each
    ///   with one or more stores of its own, so the stores may share a place that is emptied here.
    public init(_ makeStore: @escaping @Sendable () async throws -> any CredentialStore) {
        self.makeStore = makeStore
    }

    /// Runs the whole suite.
    ///
    /// - Throws: ``SuiteFailure`` with all failures.
    public func run() async throws {
        try await SuiteRunner(timeLimit: timeLimit).run([
            ("items are stored, replaced and deleted", storesItems),
            ("items with and without account coexist", separatesAccounts),
            ("keys are compared as bytes", comparesBytes),
            ("additional attributes distinguish items", distinguishesAttributes),
            ("items for a purpose answer that purpose alone", separatesPurposes),
            ("labels, content types and times are saved", savesProperties),
            ("secrets of any bytes are returned unchanged", savesSecrets),
            ("names of any text are saved", savesNames),
            ("invalid items are refused", refusesInvalidItems),
            ("items are sorted and searched by attributes", searchesItems),
            ("a batch is made completely or not at all", updatesAtomically),
            ("a locked store reveals nothing", staysLocked),
            ("many tasks use the store at once", servesManyTasks),
        ])
    }
}

extension CredentialStoreSuite {
    func key(_ account: String) -> CredentialKey { CredentialKey(service: "s", account: account) }

    func credential(_ key: CredentialKey, _ secret: String) throws -> Credential {
        Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    /// Requires that a store has a secret under a key; none for `nil`.
    func expect(_ secret: String?, _ key: CredentialKey, in store: any CredentialStore) async throws {
        let read = try await store.credential(for: key)?.secret
        // The suite's own secrets may be shown.
        let text = read?.withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        try SuiteFailure.expect(text, toEqual: secret, "the secret of \(key)")
    }

    /// Requires that a call throws a `KeychainError` with a code.
    @discardableResult
    func expect(
        _ expected: KeychainError,
        from subject: String,
        _ call: () async throws -> Void
    ) async throws -> KeychainError {
        do {
            try await call()
        } catch let error as KeychainError {
            try SuiteFailure.check(error == expected, "\(subject): expected \(expected), got \(error)")
            return error
        }
        throw SuiteFailure("\(subject): expected \(expected), but it succeeded")
    }
}
