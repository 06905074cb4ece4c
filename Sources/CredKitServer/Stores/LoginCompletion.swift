// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What the stores must do when a login is accepted. A ``LoginCompletionStore`` does it in one step.
public struct LoginCompletion: Sendable, Hashable {
    /// What the login uses up, with the parameters of ``ReplayStore/markUsed(_:account:lifetime:challengeAge:)``.
    public struct Use: Sendable, Hashable {
        /// The key of the proof.
        public let key: StoreKey
        /// The key of the user, for a limit per user.
        public let account: StoreKey
        /// The time for which the key must be stored. Zero or less for an expired proof.
        public let lifetime: Duration
        /// The time since a proof for the same challenge could first be used, rounded up.
        public let challengeAge: Duration

        /// Creates a use.
        ///
        /// - Parameters:
        ///   - key: The key of the proof.
        ///   - account: The key of the user, for a limit per user.
        ///   - lifetime: The time for which the key must be stored.
        ///   - challengeAge: The time since a proof for the same challenge could first be used, rounded up.
        public init(key: StoreKey, account: StoreKey, lifetime: Duration, challengeAge: Duration) {
            self.key = key
            self.account = account
            self.lifetime = lifetime
            self.challengeAge = challengeAge
        }
    }

    /// A new session, with the parameters of ``SessionStore/create(_:of:limits:)``.
    public struct Session: Sendable, Hashable {
        /// The key of the session, which is different each time.
        public let key: StoreKey
        /// The user.
        public let user: String
        /// The lifetimes of the session, and the maximum number of sessions of the user.
        public let limits: SessionLimits

        /// Creates a session.
        ///
        /// - Parameters:
        ///   - key: The key of the session.
        ///   - user: The user.
        ///   - limits: The lifetimes of the session, and the maximum number of sessions of the user.
        public init(key: StoreKey, user: String, limits: SessionLimits) {
            self.key = key
            self.user = user
            self.limits = limits
        }
    }

    /// What happened.
    public struct Outcome: Sendable, Hashable {
        /// Whether the use was accepted; ``ReplayDecision/accepted`` if there was none.
        public let decision: ReplayDecision
        /// Whether the session was created. `false` if there was none, or if the store is full.
        public let isSessionCreated: Bool

        /// Creates an outcome.
        ///
        /// - Parameters:
        ///   - decision: Whether the use was accepted.
        ///   - isSessionCreated: Whether the session was created.
        public init(_ decision: ReplayDecision, isSessionCreated: Bool = false) {
            self.decision = decision
            self.isSessionCreated = isSessionCreated
        }
    }

    /// What the login uses up; `nil` for nothing.
    public let use: Use?

    /// The key whose attempts are forgotten: see ``RateStore/reset(_:)``.
    public let attempts: StoreKey

    /// The session to create; `nil` for none.
    public let session: Session?

    /// Creates a completion.
    ///
    /// - Parameters:
    ///   - use: What the login uses up; `nil` for nothing.
    ///   - attempts: The key whose attempts are forgotten.
    ///   - session: The session to create; `nil` for none.
    public init(use: Use?, attempts: StoreKey, session: Session?) {
        self.use = use
        self.attempts = attempts
        self.session = session
    }
}
