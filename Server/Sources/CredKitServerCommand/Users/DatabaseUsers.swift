// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitServer
import NIOConcurrencyHelpers

/// The users in a table of PostgreSQL, which is read at each login.
struct DatabaseUsers: ServerUserTable {
    private let accounts: PostgreSQLAccounts
    private let codes: NIOLockedValueBox<ServerOneTimeCodes?>
    /// Held from the change of the file of codes until the memory has it as well.
    private let turn = NIOLock()
    let isWritable: Bool
    let files: AccountFiles
    private let replacementLog: ServerLog?

    /// Creates a view of a table.
    ///
    /// - Parameters:
    ///   - accounts: The table.
    ///   - codes: The keys of one-time codes.
    ///   - replacementLog: Gets why credentials cannot be replaced in the table; `nil` if they are to stay.
    ///   - isWritable: Whether passwords can be changed in the table.
    ///   - files: The files of codes that can be written.
    init(
        _ accounts: PostgreSQLAccounts,
        codes: ServerOneTimeCodes?,
        replacementLog: ServerLog?,
        isWritable: Bool,
        files: AccountFiles
    ) {
        self.accounts = accounts
        self.codes = NIOLockedValueBox(codes)
        self.replacementLog = replacementLog
        self.isWritable = isWritable
        self.files = files
    }

    func account(named name: String) async throws -> LoginAccount? {
        // Before the table is asked: a key that changes meanwhile is noticed when the account is looked up again.
        let codes = self.codes.withLockedValue { $0 }
        guard let account = try await accounts.account(named: name) else { return nil }
        guard let revision = codes?.revision(ofAccountNamed: account.name) else { return account }
        return LoginAccount(name: account.name, credential: account.credential, revision: revision)
    }

    func accountNames() async throws -> [String] { try await accounts.accountNames() }

    func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String
    ) async throws -> Bool {
        guard isWritable else { throw AccountFiles.readOnly("passwords") }
        return try await accounts.set(newer, inPlaceOf: old, ofAccountNamed: name)
    }

    func remove(accountNamed name: String) async throws -> Bool {
        guard isWritable else { throw AccountFiles.readOnly("users") }
        return try await accounts.remove(accountNamed: name)
    }

    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async throws {
        guard let replacementLog else { return }
        do {
            try await accounts.replace(credential, with: newer, ofAccountNamed: name)
        } catch {
            // The login goes on, and the next one tries again.
            if !Task.isCancelled {
                // A trigger can quote what it refuses.
                let text = "\(error)"
                let reason = text.contains(newer.text) ? "the table does not take the new one" : text
                replacementLog.note(
                    .error,
                    "replacement",
                    "the credential of a user cannot be replaced in the table of users: \(reason)"
                )
            }
            throw error
        }
    }

    func oneTimeCode(ofAccountNamed name: String) async throws -> OneTimeCodeUser? {
        codes.withLockedValue { $0?.oneTimeCode(ofAccountNamed: name) }
    }

    func setOneTimeCode(_ key: OneTimeCodeKey?, ofAccountNamed name: String) async throws -> Bool {
        guard let file = files.codes else { throw AccountFiles.readOnly("one-time codes") }
        if key != nil {
            guard try await accounts.account(named: name) != nil else { return false }
        }
        let text = try key.map { try OneTimeCodesFile.text(of: $0) }
        let recoveryCodes = files.recoveryCodes
        return try await AccountFiles.blocking { [turn, codes] in
            try turn.withLock {
                guard try file.set(text, ofUserNamed: name, clearing: recoveryCodes) else { return false }
                _ = codes.withLockedValue { $0?.set(key, text, ofUserNamed: name) }
                return true
            }
        }
    }

    func consumeRecoveryCode(_ key: StoreKey, ofAccountNamed name: String) async throws -> Bool {
        let revision = codes.withLockedValue { $0?.revision(ofAccountNamed: name) }
        return try await files.consumeRecoveryCode(key, with: revision, ofAccountNamed: name)
    }

    func identifier(ofUserNamed name: String) async throws -> Int? {
        try await accounts.identifier(named: name).map { Int($0) }
    }
}
