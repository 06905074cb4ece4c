// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The last step of an accepted login: it uses up the proof, forgets the attempts of the account and creates the session.
struct CompletingSteps: Sendable {
    /// How it ended.
    struct End: Sendable {
        /// Why the login is not accepted; `nil` if it is.
        let refusal: LoginDecision?
        let isSessionCreated: Bool

        static func refused(_ decision: LoginDecision) -> Self {
            Self(refusal: decision, isSessionCreated: false)
        }
    }

    let completion: any LoginCompletionStore
    let attempts: StoreKey
    let session: LoginCompletion.Session?

    /// Completes a login that uses up something, or nothing. One that uses up nothing and creates no session is accepted
    /// even if the store fails.
    func complete(_ use: SingleUse?, _ replays: ReplayGuard) async throws(LoginServerError) -> End {
        guard let use else {
            do throws(LoginServerError) {
                let outcome = try await LoginServerError.wrapping("the store of completed logins failed") {
                    try await completion.complete(
                        LoginCompletion(use: nil, attempts: attempts, session: session)
                    )
                }
                if case .unavailable(let wait) = outcome.decision {
                    return .refused(.unavailable(retryAfter: wait.retryAfter))
                }
                return End(refusal: nil, isSessionCreated: outcome.isSessionCreated)
            } catch {
                // Attempts that still count do no harm.
                guard session == nil, error.code != .cancelled else { throw error }
                return End(refusal: nil, isSessionCreated: false)
            }
        }
        let outcome = try await replays.markUsed(use) { use in
            try await completion.complete(LoginCompletion(use: use, attempts: attempts, session: session))
        }
        return End(
            refusal: Self.refusal(outcome.decision, of: use),
            isSessionCreated: outcome.isSessionCreated
        )
    }

    /// Returns the decision about a login that a guard does not accept; `nil` if it does.
    static func refusal(_ decision: ReplayDecision, of use: SingleUse) -> LoginDecision? {
        switch decision {
        case .accepted: return nil
        case .replayed:
            // A client can get a new challenge at once, but a new minute only when it begins.
            guard let second = use.secondInMinute else { return .rejected }
            return .replayed(retryAfter: .seconds(60 - second))
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        }
    }
}
