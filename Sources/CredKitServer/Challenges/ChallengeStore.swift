// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The storage in which a ``LoginChallengeIssuer`` remembers the challenges that it issued.
///
/// It is needed for clients that do not return their challenge. ``InMemoryChallengeStore`` is for one process. Several
/// processes that serve the same clients can share a store. Run `ChallengeStoreSuite` of the module CredKitTesting
/// against your own store.
///
/// Each operation is atomic as a whole. Durations are measured on the clock of the store. Texts are compared as UTF-8.
public protocol ChallengeStore: Sendable {
    /// Remembers a challenge that was issued to a client.
    ///
    /// A client at its limit loses its oldest challenge. When the store is full, the client loses its own oldest one as
    /// well; only if it has none may the store remove a challenge of another client.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge, which is different each time.
    ///   - client: The key of the client.
    ///   - lifetime: The time after which the challenge is expired and forgotten.
    ///   - perClientLimit: The maximum number of remembered challenges of this client, at least 1.
    /// - Throws: Any error that kept the store from answering. ``LoginChallengeIssuer`` wraps it.
    func remember(
        _ challenge: String,
        of client: StoreKey,
        lifetime: Duration,
        perClientLimit: Int
    ) async throws

    /// Returns the challenges of a client.
    ///
    /// - Parameter client: The key of the client.
    /// - Returns: The challenges that have neither expired nor been consumed, the oldest first.
    /// - Throws: Any error that kept the store from answering.
    func challenges(of client: StoreKey) async throws -> [String]

    /// Removes a challenge. If several calls consume the same challenge at the same time, exactly one gets `true`.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge.
    ///   - client: The key of the client that it was issued to.
    /// - Returns: Whether the challenge was remembered and has not expired.
    /// - Throws: Any error that kept the store from answering.
    func consume(_ challenge: String, of client: StoreKey) async throws -> Bool
}
