// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A storage that completes a login in one step, which saves two waits for a shared store: it marks a proof as used and, if
/// that is accepted, forgets the attempts of the account and creates a session.
///
/// The parts are those of the ``ReplayStore``, the ``RateStore`` and the ``SessionStore`` of the same ``LoginStorage``, and
/// must do the same. Run `LoginCompletionStoreSuite` of the module CredKitTesting against your own store.
public protocol LoginCompletionStore: Sendable {
    /// Completes a login, in one atomic operation.
    ///
    /// - Parameter completion: What to do.
    /// - Returns: Whether the use was accepted, and the session created. If the use was not accepted, nothing else was done.
    /// - Throws: Any error that kept the store from answering. The login is rejected.
    func complete(_ completion: LoginCompletion) async throws -> LoginCompletion.Outcome
}

/// Completes a login with the separate stores, one after the other.
struct SequentialCompletion: LoginCompletionStore {
    let replays: any ReplayStore
    let rates: any RateStore
    let sessions: any SessionStore

    func complete(_ completion: LoginCompletion) async throws -> LoginCompletion.Outcome {
        if let use = completion.use {
            let decision = try await replays.markUsed(
                use.key,
                account: use.account,
                lifetime: use.lifetime,
                challengeAge: use.challengeAge
            )
            guard decision == .accepted else { return .init(decision) }
        }
        // The proof is used up, so the login must not fail any more. Attempts that still count do no harm.
        try? await rates.reset(completion.attempts)
        guard let session = completion.session else { return .init(.accepted) }
        let isCreated = try await LoginServerError.wrapping("the session store failed") {
            try await sessions.create(session.key, of: session.user, limits: session.limits)
        }
        return .init(.accepted, isSessionCreated: isCreated)
    }
}
