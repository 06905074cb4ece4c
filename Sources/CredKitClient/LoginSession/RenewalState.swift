// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The current login, and the reaction to a response that means that it has expired.
struct RenewalState: Sendable {
    /// One login. Each request remembers the login that it was sent with.
    struct Generation: Sendable, Hashable {
        /// The number of users who have logged in.
        fileprivate(set) var user = 0
        /// The number of logins of that user.
        fileprivate(set) var login = 0
    }

    /// The action for a request whose response means that its login has expired.
    enum Answer: Sendable, Equatable {
        /// Send it again: another request has already renewed the login.
        case repeatRequest
        /// Log in, or wait for the login in progress.
        case renew
        /// The user who sent the request is no longer logged in. It must not be sent as another user.
        case otherUser
    }

    private(set) var generation = Generation()

    /// Whether a user is logged in, as far as is known locally.
    private(set) var hasUser = false

    /// Returns the action for a request that was sent with a login that has expired.
    func expired(_ sent: Generation) -> Answer {
        guard hasUser, sent.user == generation.user else { return .otherUser }
        return sent.login < generation.login ? .repeatRequest : .renew
    }

    /// Whether cookies and tokens in a response still belong to the current login.
    func isCurrent(_ sent: Generation) -> Bool { sent == generation }

    /// Records that the same user has logged in again, by a renewal or explicitly.
    mutating func renewed() { generation.login += 1 }

    /// Records that a different user has logged in.
    mutating func loggedIn() {
        generation = Generation(user: generation.user + 1)
        hasUser = true
    }

    /// Records that the user has logged out.
    mutating func loggedOut() {
        generation = Generation(user: generation.user + 1)
        hasUser = false
    }
}
