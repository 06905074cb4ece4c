// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebhookSignature {
    /// Signatures of [Standard Webhooks](https://www.standardwebhooks.com) 1.0, of version `v1`: HMAC-SHA-256 over an
    /// identifier, a time and the body.
    ///
    /// ```swift
    /// let webhooks = try WebhookSignature.Standard(secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    /// switch webhooks.verify(body, headers: request.headers) {
    /// case .valid(let id, _): …                               // claim id, and process the webhook if it is new
    /// case .invalid(let reason): log("webhook rejected: \(reason)")
    /// }
    /// ```
    ///
    /// > Important: The time limits only for how long an attacker can send a captured webhook again. The sender itself
    /// > retries with the same `webhook-id` and new times, often for days. To process each event once, claim its identifier
    /// > atomically before you process it, for instance with a unique key of a database. Remember it for longer than the
    /// > sender retries, and never for less than twice the tolerance and a second.
    ///
    /// Signatures of other versions, such as `v1a` with Ed25519, are ignored. An identifier with a full stop is refused:
    /// the signed text `a.1.2.…` would be that of several webhooks.
    public struct Standard: Sendable, CustomStringConvertible, CustomReflectable {
        /// `webhook-id`, the header with the identifier of the event.
        public static let idHeaderName = "webhook-id"
        /// `webhook-timestamp`, the header with the time of the attempt, in seconds since 1970.
        public static let timestampHeaderName = "webhook-timestamp"
        /// `webhook-signature`, the header with the signatures.
        public static let signatureHeaderName = "webhook-signature"

        /// The maximum length of an identifier, in bytes.
        public static let maximumIDByteCount = 256
        /// The maximum length of the header with the signatures, in bytes.
        public static let maximumHeaderByteCount = 4096
        /// The maximum number of signatures in the header, those of other versions included.
        public static let maximumSignatureCount = 16

        /// How far the time of a webhook may be from the current time, in both directions.
        public let tolerance: Duration

        let keys: WebhookKeys

        /// Creates a signer and verifier with secrets in their usual form.
        ///
        /// - Parameters:
        ///   - secrets: The secrets, 1 to ``WebhookSignature/maximumSecretCount``: the Base64 of 24 to 64 bytes, with
        ///     the prefix `whsec_` or without it. Each of them signs and verifies.
        ///   - tolerance: How far the time of a webhook may be from the current time, in both directions.
        ///     A negative duration is taken as 0.
        /// - Throws: ``SignatureError/invalidSecret`` if a secret is malformed, or there are none or too many;
        ///   ``SignatureError/outOfMemory``.
        public init(
            secrets: [some SecretInput],
            tolerance: Duration = .seconds(300)
        ) throws(SignatureError) {
            guard secrets.count <= WebhookSignature.maximumSecretCount else {
                throw .invalidSecret("more than \(WebhookSignature.maximumSecretCount) secrets for webhooks")
            }
            var keys: [SecretBytes] = []
            for secret in secrets { keys.append(try Self.key(of: secret)) }
            try self.init(keys: keys, tolerance: tolerance)
        }

        /// Creates a signer and verifier with keys of any length, for services that do not follow the specification.
        ///
        /// - Parameters:
        ///   - keys: The bytes of the keys, 1 to ``WebhookSignature/maximumSecretCount``. Each of them signs and
        ///     verifies.
        ///   - tolerance: How far the time of a webhook may be from the current time, in both directions.
        /// - Throws: ``SignatureError/invalidSecret`` if a key is empty, or there are none or too many;
        ///   ``SignatureError/outOfMemory``.
        public init(keys: [some SecretInput], tolerance: Duration = .seconds(300)) throws(SignatureError) {
            self.keys = try WebhookKeys(keys)
            self.tolerance = max(.zero, tolerance)
        }

        /// Decodes a secret into guarded memory.
        private static func key(of secret: some SecretInput) throws(SignatureError) -> SecretBytes {
            let key: SecretBytes?
            do throws(SecretMemoryError) {
                key = try secret.withSecretBytes { (text) throws(SecretMemoryError) in
                    let prefix = Array("whsec_".utf8)
                    let hasPrefix =
                        text.count >= prefix.count && prefix.indices.allSatisfy { text[$0] == prefix[$0] }
                    let base64 = hasPrefix ? text.extracting(prefix.count...) : text
                    let capacity = Base64.standard.maximumDecodedByteCount(of: base64.count)
                    // Also bounds the guarded memory. No text of this length is a valid secret.
                    guard capacity <= 72 else { return nil }
                    var isBase64 = false
                    let key = try SecretBytes(capacity: capacity) { output in
                        isBase64 = (try? Base64.standard.decode(base64, into: &output)) != nil
                    }
                    return isBase64 ? key : nil
                }
            } catch {
                throw .outOfMemory
            }
            guard let key, 24...64 ~= key.count else {
                throw .invalidSecret(
                    "a secret for webhooks must be the Base64 of 24 to 64 bytes, after 'whsec_' or alone"
                )
            }
            return key
        }

        /// `‹redacted›`, never a secret.
        public var description: String { "‹redacted›" }

        /// A mirror without children: dumping the value reveals nothing of its secrets.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension WebhookSignature.Standard {
    /// Returns the three headers of a webhook, with one signature for each secret.
    ///
    /// - Parameters:
    ///   - body: The body as it is sent.
    ///   - id: The identifier of the event, which stays the same when the webhook is sent again: visible ASCII characters
    ///     other than a full stop, at most ``maximumIDByteCount``.
    ///   - time: The time of this attempt, from 1970 on.
    /// - Returns: Names and values.
    /// - Throws: ``SignatureError/invalidMetadata`` if the identifier or the time cannot be signed.
    public func headers(
        for body: Span<UInt8>,
        id: String,
        at time: UnixTime = .now
    ) throws(SignatureError) -> [(name: String, value: String)] {
        guard Self.rejection(ofID: id) == nil else {
            throw .invalidMetadata(
                "the identifier of a webhook must be visible ASCII without a full stop, 1 to 256 bytes"
            )
        }
        let timestamp = String(time.seconds)
        guard Self.time(timestamp) != nil else {
            throw .invalidMetadata("the time of a webhook is before 1970 or in a far future")
        }
        let signatures = keys.codes(of: body, after: "\(id).\(timestamp).").map {
            "v1," + Base64.standard.encode($0)
        }
        return [
            (name: Self.idHeaderName, value: id),
            (name: Self.timestampHeaderName, value: timestamp),
            (name: Self.signatureHeaderName, value: signatures.joined(separator: " ")),
        ]
    }

    /// Returns the three headers of a webhook, with one signature for each secret.
    ///
    /// - Parameters:
    ///   - body: The body as it is sent; an array, a `String.UTF8View` …
    ///   - id: The identifier of the event, which stays the same when the webhook is sent again: visible ASCII characters
    ///     other than a full stop, at most ``maximumIDByteCount``.
    ///   - time: The time of this attempt, from 1970 on.
    /// - Returns: Names and values.
    /// - Throws: ``SignatureError/invalidMetadata`` if the identifier or the time cannot be signed.
    @inlinable
    public func headers(
        for body: some Collection<UInt8>,
        id: String,
        at time: UnixTime = .now
    ) throws(SignatureError) -> [(name: String, value: String)] {
        try body.withContiguousSpan { (body) throws(SignatureError) in
            try headers(for: body, id: id, at: time)
        }
    }
}
