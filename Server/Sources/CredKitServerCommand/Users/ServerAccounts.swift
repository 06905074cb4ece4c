// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
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

        func account(_ name: String) -> LoginAccount? {
            guard let account = users[name]?.account else { return nil }
            return LoginAccount(
                name: account.name,
                credential: replacements[Array(name.utf8)]?.newer ?? account.credential,
                revision: codes?.revision(ofAccountNamed: account.name)
            )
        }
    }

    private let state: NIOLockedValueBox<State>
    private let keepsReplacements: Bool

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - users: The users.
    ///   - codes: Their keys of one-time codes.
    ///   - keepsReplacements: Whether credentials can be replaced, in memory. The file is the user's, and is never written.
    init(users: ServerUsers, codes: ServerOneTimeCodes?, keepsReplacements: Bool) {
        state = NIOLockedValueBox(State(users: users, codes: codes))
        self.keepsReplacements = keepsReplacements
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
            let old = (users: state.users, codes: state.codes)
            state.users = users
            state.codes = codes
            // A credential that was changed in the file counts; one that was not stays replaced.
            state.replacements = state.replacements.filter { name, replacement in
                users[bytes: name]?.account.credential == replacement.original
            }
            return old
        }
        return old.users.accounts.filter { account in
            users[account.name]?.account.credential != account.credential
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
    ) {
        guard keepsReplacements else { return }
        state.withLockedValue { state in
            guard let original = state.users[name]?.account.credential,
                state.account(name)?.credential == credential
            else { return }
            state.replacements[Array(name.utf8)] = Replacement(original: original, newer: newer)
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
