// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal
import NIOConcurrencyHelpers
import NIOPosix

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
    private let replacing: Replacing

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - users: The users.
    ///   - codes: Their keys of one-time codes.
    ///   - replacing: Where replaced credentials are kept. The file is the user's, and is not written unless they ask for it.
    init(users: ServerUsers, codes: ServerOneTimeCodes?, replacing: Replacing) {
        state = NIOLockedValueBox(State(users: users, codes: codes))
        self.replacing = replacing
    }

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
    /// - Returns: The names of the users who are no longer in the file or have another credential or key there.
    func replaceAll(by users: ServerUsers, _ codes: ServerOneTimeCodes?) -> [String] {
        let old = state.withLockedValue { state in
            let old = (users: state.users, codes: state.codes, replacements: state.replacements)
            state.users = users
            state.codes = codes
            // A credential that was changed in the file counts; one that was not stays replaced.
            state.replacements = state.replacements.filter { name, replacement in
                users[bytes: name]?.account.credential == replacement.original
            }
            return old
        }
        return old.users.accounts.filter { account in
            guard let present = users[account.name]?.account.credential else { return true }
            // The server may have written the credential into the file itself.
            return present != account.credential
                && present != old.replacements[Array(account.name.utf8)]?.newer
                || codes?.revision(ofAccountNamed: account.name)
                    != old.codes?.revision(ofAccountNamed: account.name)
        }
        .map(\.name)
    }
}

extension ServerAccounts: ServerUserTable {
    func identifier(ofUserNamed name: String) -> Int? { state.withLockedValue { $0.users[name]?.id } }

    func account(named name: String) -> LoginAccount? { state.withLockedValue { $0.account(name) } }

    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async {
        if case .nowhere = replacing { return }
        let isReplaced = state.withLockedValue { state in
            guard let original = state.users[name]?.account.credential,
                state.account(name)?.credential == credential
            else { return false }
            state.replacements[Array(name.utf8)] = Replacement(original: original, newer: newer)
            return true
        }
        guard isReplaced, case .inFile(let file, let log) = replacing else { return }
        do {
            // Writing blocks, and goes on if the client has gone. What has changed in the file is about to be read again.
            _ = try await Task {
                try await NIOThreadPool.singleton.runIfActive {
                    try file.replace(credential, with: newer, ofUserNamed: name)
                }
            }.value
        } catch {
            // The next login tries again.
            state.withLockedValue { state in
                guard state.replacements[Array(name.utf8)]?.newer == newer else { return }
                state.replacements[Array(name.utf8)] = nil
            }
            let reason = (error as? CommandFailure)?.message ?? "\(error)"
            log.note(
                .error,
                "replacement",
                "the hash of a user cannot be replaced in the users file: \(reason)"
            )
        }
    }

    func oneTimeCode(ofAccountNamed name: String) async throws -> OneTimeCodeUser? {
        let codes = state.withLockedValue { $0.codes }
        return codes?.oneTimeCode(ofAccountNamed: name)
    }
}

/// The users with their numbers and their keys of one-time codes.
protocol ServerUserTable: LoginAccounts, OneTimeCodeUsers {
    /// Returns the number of a user, for answers; `nil` if there is no such user any more.
    func identifier(ofUserNamed name: String) async throws -> Int?
}
