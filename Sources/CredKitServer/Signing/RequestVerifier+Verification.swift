// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension RequestVerifier {
    /// Verifies the head of a request, and marks its nonce as used.
    ///
    /// - Parameters:
    ///   - request: The head as it was received. The authority must be one that this server answers for: take it from
    ///     the configuration, or compare the field `Host` with it. Behind a proxy that changes the host or the path,
    ///     use those that the client signed.
    ///   - mayHaveContent: Whether content may follow. Pass `false` only if the protocol rules it out: the stream of
    ///     HTTP/2 has ended, or the message of HTTP/1.1 has neither `Content-Length` nor `Transfer-Encoding`. These
    ///     fields count in any case.
    ///   - now: The current time.
    /// - Returns: The verified request, whose content remains to be checked; or why there is none.
    /// - Throws: An error means that the request is not verified: answer 503. ``LoginServerError/storeFailed`` if the
    ///   store threw, ``LoginServerError/lookupFailed`` if the lookup threw, ``LoginServerError/cancelled`` if the task
    ///   was cancelled.
    public func verify(
        _ request: MessageSignature.Request,
        mayHaveContent: Bool,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> RequestVerification {
        let start = clock.elapsed
        let mayHaveContent = mayHaveContent || request.announcesContent
        let message = MessageSignature.Message.request(request)
        let more: [MessageSignature.Component] = mayHaveContent ? [.contentDigest] : []
        // Without keys nothing is valid. The names that are asked for are those of signatures that meet the policy.
        var keyIDs: [String] = []
        _ = policy.verify(message, alsoRequiring: more, at: now) { keyID in
            if !keyIDs.contains(keyID) { keyIDs.append(keyID) }
            return nil
        }
        let keys = try await keys(named: keyIDs)
        // The lookup may take seconds, in which a signature can expire.
        let waited = clock.elapsed - start
        let now = waited < .milliseconds(250) ? now : now + waited + .seconds(1)
        switch policy.verify(message, alsoRequiring: more, at: now, key: { keys[$0] }) {
        case .valid(let signature):
            return try await accept(signature, of: request, mayHaveContent: mayHaveContent, at: now)
        case .invalid(let refusal):
            unknownKeys.verify(message, keyIDs: keyIDs.filter { keys[$0] == nil })
            return .rejected(RequestRejection(refusal, keyID: keyIDs.first))
        }
    }

    private func keys(
        named keyIDs: [String]
    ) async throws(LoginServerError) -> [String: MessageSignature.VerificationKey] {
        var keys: [String: MessageSignature.VerificationKey] = [:]
        for keyID in keyIDs {
            let key = try await LoginServerError.wrapping("the lookup of a key failed", code: .lookupFailed) {
                try await lookup(keyID)
            }
            guard let key else { continue }
            unknownKeys.imitate(key.algorithm)
            keys[keyID] = key
        }
        return keys
    }

    private func accept(
        _ signature: MessageSignature.Accepted,
        of request: MessageSignature.Request,
        mayHaveContent: Bool,
        at now: UnixTime
    ) async throws(LoginServerError) -> RequestVerification {
        var digest: ContentDigest?
        if signature.components.contains(where: \.isContentDigest) {
            digest = request.contentDigest
            guard let digest else {
                return .rejected(RequestRejection(.uncheckableDigest, keyID: signature.keyID))
            }
            guard mayHaveContent || digest.matches([]) else {
                return .rejected(RequestRejection(.wrongDigest, keyID: signature.keyID))
            }
        }
        let verified = VerifiedRequest(signature, digest: digest, mayHaveContent: mayHaveContent)
        guard let nonce = signature.nonce, !nonce.isEmpty else { return .verified(verified) }
        switch try await replays.markUsed(use(of: nonce, signature, at: now)) {
        case .accepted: return .verified(verified)
        case .replayed: return .rejected(RequestRejection(.replayed, keyID: signature.keyID))
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        }
    }

    private func use(
        of nonce: String,
        _ signature: MessageSignature.Accepted,
        at now: UnixTime
    ) -> SingleUse {
        SingleUse(
            key: StoreKey("signed request", signature.keyID, nonce),
            account: StoreKey("signing key", signature.keyID),
            validFrom: (signature.created - policy.clockTolerance).seconds,
            validUntil: signature.validUntil.seconds,
            verifiedAt: now.seconds,
            secondInMinute: nil,
            // For other processes, whose clocks are behind this one.
            margin: policy.clockTolerance + .seconds(1)
        )
    }
}
