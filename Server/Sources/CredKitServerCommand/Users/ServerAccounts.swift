// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import NIOConcurrencyHelpers

/// The users and their keys of one-time codes, which are replaced together when their files have changed.
final class ServerAccounts: Sendable {
    private struct Replacement: Sendable {
        /// The credential in the file.
        let original: StoredCredential
        var newer: StoredCredential
    }

    private struct State: Sendable {
        var users: ServerUsers
        var codes: ServerOneTimeCodes?
        /// By the bytes of the name.
        var replacements: [[UInt8]: Replacement] = [:]
        /// How often this server has written a file.
        var writeCount = 0
        /// The last write for each name, by its bytes, unless the files were read after it.
        var writes: [[UInt8]: Int] = [:]

        func account(_ name: String) -> LoginAccount? {
            guard let account = users[name]?.account else { return nil }
            return LoginAccount(
                name: account.name,
                credential: replacements[Array(name.utf8)]?.newer ?? account.credential,
                revision: codes?.revision(ofAccountNamed: account.name)
            )
        }
    }

    /// Where the credential that replaces another one is kept.
    enum Replacing: Sendable {
        /// Nowhere: it is not replaced.
        case nowhere
        /// In memory alone.
        case inMemory
        /// In memory, until the file has it too.
        case inFile(UsersFile, ServerLog)
    }

    private let state: NIOLockedValueBox<State>
    /// Held from the change of a file until the memory has it as well, and while what was read is put into force.
    private let turn = NIOLock()
    private let replacing: Replacing
    let files: AccountFiles

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - users: The users.
    ///   - codes: Their keys of one-time codes.
    ///   - replacing: Where replaced credentials are kept. The file is the user's, and is not written unless they ask for it.
    ///   - files: The files in which users can be changed.
    init(
        users: ServerUsers,
        codes: ServerOneTimeCodes?,
        replacing: Replacing,
        files: AccountFiles = AccountFiles()
    ) {
        state = NIOLockedValueBox(State(users: users, codes: codes))
        self.replacing = replacing
        self.files = files
    }

    /// How often this server has written a file: to know, after files were read, what was written meanwhile.
    var writeCount: Int { state.withLockedValue { $0.writeCount } }

    /// Whether there is a user of a name, or was one when a reload left out the key of a removed user.
    func hadUser(named name: String) -> Bool {
        state.withLockedValue { state in
            state.users[name] != nil || state.codes?.leftOut.contains(Array(name.utf8)) == true
        }
    }

    /// Replaces all users and keys at once.
    ///
    /// - Parameters:
    ///   - users: The users of the file as it is now.
    ///   - codes: Their keys of one-time codes.
    ///   - writeCount: ``writeCount`` from before the files were read. What this server has written since then stays: the files are
    ///     about to be read again.
    /// - Returns: The names of the users who are no longer in the file or have another credential or key there. What this server has
    ///   written itself is no change.
    func replaceAll(
        by users: ServerUsers,
        _ codes: ServerOneTimeCodes?,
        readAfter writeCount: Int = .max
    ) -> [String] {
        let (old, new) = turn.withLock {
            state.withLockedValue { state in
                let old = state
                (state.users, state.codes) = (users, codes)
                state.writes = old.writes.filter { $0.value > writeCount }
                for name in state.writes.keys {
                    state.users.copy(name, from: old.users)
                    if let present = old.codes { state.codes?.copy(name, from: present) }
                }
                // A credential that was changed in the file counts; one that was not stays replaced.
                state.replacements = old.replacements.filter { name, replacement in
                    state.users[bytes: name]?.account.credential == replacement.original
                }
                return (old, state)
            }
        }
        return old.users.accounts.filter { account in
            guard let present = new.users[account.name]?.account.credential else { return true }
            // A program may have written the credential that this server has replaced in memory alone.
            return present != account.credential
                && present != old.replacements[Array(account.name.utf8)]?.newer
                || new.codes?.revision(ofAccountNamed: account.name)
                    != old.codes?.revision(ofAccountNamed: account.name)
        }
        .map(\.name)
    }

    /// Changes a file, and the memory accordingly.
    ///
    /// - Parameters:
    ///   - name: The name of the user.
    ///   - change: Changes what is in memory.
    ///   - body: Changes the file, which blocks; returns whether it has.
    /// - Returns: Whether the file was changed.
    /// - Throws: What `body` throws; nothing has changed in memory then.
    private func write(
        _ name: String,
        changing change: @escaping @Sendable (inout State) -> Void,
        _ body: @escaping @Sendable () throws -> Bool
    ) async throws -> Bool {
        try await AccountFiles.blocking { [self] in
            try turn.withLock {
                guard try body() else { return false }
                state.withLockedValue { state in
                    change(&state)
                    state.writeCount += 1
                    state.writes[Array(name.utf8)] = state.writeCount
                }
                return true
            }
        }
    }

    private func write(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String,
        in file: UsersFile
    ) async throws -> Bool {
        try await write(name) { state in
            state.users.set(newer, of: name)
            state.replacements[Array(name.utf8)] = nil
        } _: {
            try file.set(newer, inPlaceOf: old, ofUserNamed: name)
        }
    }
}

extension ServerAccounts: ServerUserTable {
    var isWritable: Bool { files.users != nil }

    func identifier(ofUserNamed name: String) -> Int? { state.withLockedValue { $0.users[name]?.id } }

    func account(named name: String) -> LoginAccount? { state.withLockedValue { $0.account(name) } }

    func accountNames() -> [String] {
        state.withLockedValue { $0.users }.namesInOrder
    }

    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async {
        switch replacing {
        case .nowhere: return
        case .inMemory:
            state.withLockedValue { state in
                guard let original = state.users[name]?.account.credential,
                    state.account(name)?.credential == credential
                else { return }
                state.replacements[Array(name.utf8)] = Replacement(original: original, newer: newer)
            }
        case .inFile(let file, let log):
            guard account(named: name)?.credential == credential else { return }
            do {
                _ = try await write(newer, inPlaceOf: credential, ofAccountNamed: name, in: file)
            } catch {
                // The next login tries again.
                let reason = (error as? CommandFailure)?.message ?? "\(error)"
                log.note(
                    .error,
                    "replacement",
                    "the hash of a user cannot be replaced in the users file: \(reason)"
                )
            }
        }
    }

    func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String
    ) async throws -> Bool {
        guard let file = files.users else { throw AccountFiles.readOnly("passwords") }
        return try await write(newer, inPlaceOf: old, ofAccountNamed: name, in: file)
    }

    func remove(accountNamed name: String) async throws -> Bool {
        guard let file = files.users else { throw AccountFiles.readOnly("users") }
        return try await write(name) { state in
            state.users.remove(name)
            state.replacements[Array(name.utf8)] = nil
        } _: {
            try file.remove(name)
        }
    }

    func oneTimeCode(ofAccountNamed name: String) async throws -> OneTimeCodeUser? {
        let codes = state.withLockedValue { $0.codes }
        return codes?.oneTimeCode(ofAccountNamed: name)
    }

    func setOneTimeCode(_ key: OneTimeCodeKey?, ofAccountNamed name: String) async throws -> Bool {
        guard let file = files.codes else { throw AccountFiles.readOnly("one-time codes") }
        guard key == nil || account(named: name) != nil else { return false }
        let text = try key.map { try OneTimeCodesFile.text(of: $0) }
        let recoveryCodes = files.recoveryCodes
        return try await write(name) { state in
            state.codes?.set(key, text, ofUserNamed: name)
        } _: {
            try file.set(text, ofUserNamed: name, clearing: recoveryCodes)
        }
    }

    func consumeRecoveryCode(_ key: StoreKey, ofAccountNamed name: String) async throws -> Bool {
        let revision = state.withLockedValue { $0.codes?.revision(ofAccountNamed: name) }
        return try await files.consumeRecoveryCode(key, with: revision, ofAccountNamed: name)
    }
}
