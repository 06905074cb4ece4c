// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension RequestVerifier {
    /// Verifies the head of a request, and marks its nonce as used.
    ///
    /// `checkTime` of `MessageSignature.Verifier` compares the times; the default age is its `standardMaximumAge`, the
    /// tolerance that of the initializer here.
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
        _ = signatureVerifier.verify(message, alsoRequiring: more, at: now) { keyID in
            if !keyIDs.contains(keyID) { keyIDs.append(keyID) }
            return nil
        }
        let keys = try await keys(named: keyIDs)
        // The lookup may take seconds, in which a signature can expire.
        let waited = clock.elapsed - start
        let now = waited < .milliseconds(250) ? now : now + waited + .seconds(1)
        // Unknown keys have a decoy, which accepts nothing: what is valid under it is removed from the result.
        let decoy = decoy.key
        let result = signatureVerifier.verifyAll(message, alsoRequiring: more, at: now) { keys[$0] ?? decoy }
        switch result.map({ $0.filter { keys[$0.keyID] != nil } }) {
        case .success(let signatures) where !signatures.isEmpty:
            return try await accept(signatures, of: request, mayHaveContent: mayHaveContent, at: now)
        case .failure(let refusal) where keyIDs.isEmpty || !keys.isEmpty:
            return .rejected(RequestRejection(refusal, keyID: keyIDs.first))
        default:
            let refusal = MessageSignature.Refusal(.unknownKey, "the signature is by an unknown key")
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
            decoy.imitate(key)
            keys[keyID] = key
        }
        return keys
    }

    /// Accepts a request if the nonces of all its valid signatures are new: with one of them removed, it would be another
    /// copy of the same request.
    private func accept(
        _ signatures: [MessageSignature.Accepted],
        of request: MessageSignature.Request,
        mayHaveContent: Bool,
        at now: UnixTime
    ) async throws(LoginServerError) -> RequestVerification {
        let signature = signatures[0]
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
        for signature in signatures {
            guard let nonce = signature.nonce, !nonce.isEmpty else { continue }
            switch try await replays.markUsed(use(of: nonce, signature, at: now)) {
            case .accepted: break
            case .replayed: return .rejected(RequestRejection(.replayed, keyID: signature.keyID))
            case .unavailable(let wait): return .unavailable(retryAfter: wait)
            }
        }
        return .verified(verified)
    }

    private func use(
        of nonce: String,
        _ signature: MessageSignature.Accepted,
        at now: UnixTime
    ) -> SingleUse {
        SingleUse(
            key: StoreKey("signed request", signature.keyID, nonce),
            account: StoreKey("signing key", signature.keyID),
            // The clock that accepted it first may have been ahead of this one, which the signature may be as well.
            validFrom: (signature.created - signatureVerifier.clockTolerance * 2 - .seconds(1)).seconds,
            validUntil: signature.validUntil.seconds,
            verifiedAt: now.seconds,
            secondInMinute: nil,
            // For other processes, whose clocks are behind this one.
            margin: signatureVerifier.clockTolerance + .seconds(1)
        )
    }
}

extension MessageSignature.Request {
    /// Whether a field says that content follows. A length that is not zero counts, and one that is malformed.
    var announcesContent: Bool {
        fields.contains { field in
            if field.isNamed("transfer-encoding") { return true }
            guard field.isNamed("content-length") else { return false }
            let value = field.value.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank)
            return value.isEmpty || value.contains { $0 != UInt8(ascii: "0") }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }

    /// The digest of the content; `nil` if there is none that can be checked.
    var contentDigest: ContentDigest? {
        let lines = fields.filter { $0.isNamed("content-digest") }
        return ContentDigest(fieldLines: lines.map { String(decoding: $0.value, as: UTF8.self) })
    }
}

extension MessageSignature.Component {
    /// Whether this is the digest of the content, with any parameters.
    var isContentDigest: Bool { name.utf8.elementsEqual("content-digest".utf8) }
}
