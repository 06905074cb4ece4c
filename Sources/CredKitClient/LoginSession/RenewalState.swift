// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Which login is in force, and what is to be done when a response says that it has expired.
struct RenewalState: Sendable {
    /// One login. Requests remember the one that they were sent with.
    struct Generation: Sendable, Hashable {
        /// Counts the users that have been logged in.
        fileprivate(set) var user = 0
        /// Counts the logins of that user.
        fileprivate(set) var login = 0
    }

    /// What to do with a request whose response says that its login has expired.
    enum Answer: Sendable, Equatable {
        /// Send it again: another request has had the login renewed already.
        case repeatRequest
        /// Log in, or wait for the login that is under way.
        case renew
        /// The user whose request it was is logged in no longer. It must not be done as somebody else.
        case otherUser
    }

    private(set) var generation = Generation()

    /// Whether anybody is logged in, as far as is known here.
    private(set) var hasUser = false

    /// A request that was sent with a generation met an expired login.
    func expired(_ sent: Generation) -> Answer {
        guard hasUser, sent.user == generation.user else { return .otherUser }
        return sent.login < generation.login ? .repeatRequest : .renew
    }

    /// Whether what a response brings along, cookies and tokens, still belongs to the login in force.
    func isCurrent(_ sent: Generation) -> Bool { sent == generation }

    /// The same user was logged in again: by a renewal, or by name.
    mutating func renewed() { generation.login += 1 }

    /// A user was logged in where nobody was, or somebody else.
    mutating func loggedIn() {
        generation = Generation(user: generation.user + 1)
        hasUser = true
    }

    /// Nobody is logged in any more.
    mutating func loggedOut() {
        generation = Generation(user: generation.user + 1)
        hasUser = false
    }
}
