// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem

/// Verifies signed requests (RFC 9421) on the server, each of them once, and their content (RFC 9530).
///
/// ```swift
/// let verifier = try RequestVerifier(replayStore: store) { keyID in try await keys.find(keyID) }
/// switch try await verifier.verify(head, mayHaveContent: true) {
/// case .verified(let request):
///     switch try await request.verifiedBody(pieces, limit: 1 << 20) {
///     case .verified(let bytes): …                     // act, and answer
///     case .rejected(let rejection): log(rejection)    // answer 401
///     case .tooLarge: …                                // answer 413
///     }
/// case .rejected(let rejection): log(rejection)        // answer 401, always the same, without the reason
/// case .unavailable(let wait): …                       // answer 503 with Retry-After
/// }
/// ```
///
/// A request is verified if one of its signatures meets the whole policy: it covers the required components, was made
/// within the accepted time, has the tag, is valid under the key with its `keyid`, and has a nonce that was not used
/// before. What a valid signature says is never combined with what another one covers.
///
/// ## Content
/// If there may be content, the signature must cover `content-digest`. Otherwise there must be no content. The content
/// is checked while it arrives, and is verified only after its last byte: neither act on a part of it nor answer before.
/// Trailers are not covered and must be ignored.
///
/// ## Nonces
/// A nonce is marked as used when the head is verified, before any content is read: a thousand copies of a request do
/// not make a server read a thousand bodies. A client whose request failed must sign it again, with a new nonce.
/// Only nonces of valid signatures are stored, so an attacker without a key cannot fill the store. The store counts them
/// by key, until `maximumAge` or `expires` is over and twice `clockTolerance` more. By default, ``InMemoryReplayStore``
/// needs a `perAccountLimit` of 320 for each request a second that one key may sign, and a `limit` for all keys together;
/// beyond them the answer is ``RequestVerification/unavailable(retryAfter:)``.
///
/// If several signatures of a request meet the policy, all their nonces are marked, and none may have been used. Each of
/// them is an authorization of its own nevertheless: a holder of the request can send a copy with only one of them before
/// the request itself arrives. Require a tag, so that one signature counts.
///
/// After a start with an empty store, requests that were signed before it are unavailable, and those of the next
/// `clockTolerance` × 2 and 2 seconds as well.
///
/// Processes that accept the same keys must share a store. Their clocks may differ by `clockTolerance`. They must have
/// the same policy, or different tags: a nonce is forgotten when the policy that accepted it refuses the signature.
///
/// If the clock is set back, requests that could have been accepted and forgotten are rejected. After a step of more
/// than `maximumAge`, these can be all requests, until the clock shows the former time again. Each verifier knows only
/// what it has accepted itself: create one and share it.
public struct RequestVerifier: Sendable {
    let signatureVerifier: MessageSignature.Verifier
    let lookup: @Sendable (String) async throws -> MessageSignature.VerificationKey?
    let replays: ReplayGuard
    let decoy: UnknownKeyDecoy
    let clock: StoreClock

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - components: What each signature must cover, at least one component. `content-digest` is required in addition
    ///     if a request may have content. Default: the method, the authority, the path and the query. They do not tell
    ///     `/a` from `/a?`, nor `*` from `/`: where that matters, require `.targetURI` or `.requestTarget`.
    ///   - tag: What the signatures must be for; `nil` ignores what they say. Labels are not signed, so require a tag
    ///     if the same keys sign for several purposes.
    ///   - maximumAge: How old a signature may be, from a second to a day. Default: 5 minutes.
    ///   - clockTolerance: How far in the future a signature may have been made, because clocks differ, up to 5 minutes.
    ///     Default: 5 seconds; that of `MessageSignature.Verifier`, which `credkit sign verify` uses, is 30.
    ///   - requiresNonce: Whether a signature must have a nonce. A request without one can be replayed until it is too
    ///     old.
    ///   - replayStore: The store of the used nonces.
    ///   - startedAt: The time of the start, so that a clock that is set back later does not make requests acceptable
    ///     that an earlier process has accepted.
    ///   - clock: The clock that measures how long nonces are stored. Tests can pass a clock of their own.
    ///   - lookup: Finds the key with a name, which is printable ASCII of at most 256 bytes; returns `nil` if there is
    ///     none. It should take the same time in both cases. It is called at most 8 times for a request, and only for
    ///     signatures that meet the rest of the policy.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        requiring components: [MessageSignature.Component] = [.method, .authority, .path, .query],
        tag: String? = nil,
        maximumAge: Duration = MessageSignature.Verifier.standardMaximumAge,
        clockTolerance: Duration = .seconds(5),
        requiresNonce: Bool = true,
        replayStore: any ReplayStore,
        startedAt: UnixTime = .now,
        clock: some Clock<Duration> = ContinuousClock(),
        key lookup: @escaping @Sendable (_ keyID: String) async throws -> MessageSignature.VerificationKey?
    ) throws(LoginServerError) {
        // The guard remembers the seconds of a window, so that must not be arbitrarily long.
        try LoginServerError.check("the maximum age", maximumAge, in: .seconds(1) ... .seconds(86_400))
        try LoginServerError.check("the tolerance of clocks", clockTolerance, in: .zero ... .seconds(300))
        do throws(MessageSignature.Error) {
            signatureVerifier = try MessageSignature.Verifier(
                requiring: components,
                maximumAge: maximumAge,
                clockTolerance: clockTolerance,
                requiresNonce: requiresNonce,
                tag: tag
            )
        } catch {
            throw LoginServerError(.invalidConfiguration, message: "cannot verify requests: \(error)")
        }
        self.lookup = lookup
        // A clock of a machine may have any value.
        let start = UnixTime(min(max(startedAt.seconds, 0), 1 << 37))
        replays = ReplayGuard(store: replayStore, startedAt: start, clock: clock)
        decoy = try UnknownKeyDecoy()
        self.clock = StoreClock(clock)
    }
}

/// The key with which signatures by unknown keys are verified, so that they take as long as wrong signatures by known keys:
/// the time does not tell which keys exist. What is valid under it is not accepted.
///
/// It is the last key that was found, so that it has its algorithm and size; a random one for HMAC before that.
struct UnknownKeyDecoy: Sendable {
    private let last: Lock<MessageSignature.VerificationKey>

    init() throws(LoginServerError) {
        do {
            last = Lock(try .hmacSHA256(SecretBytes(randomByteCount: 32)))
        } catch {
            throw .outOfMemory
        }
    }

    var key: MessageSignature.VerificationKey { last.withLock { $0 } }

    /// Takes as long as a key from now on.
    func imitate(_ key: MessageSignature.VerificationKey) { last.withLock { $0 = key } }
}
