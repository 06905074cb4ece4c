// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebhookSignature {
    /// Signatures of the form that GitHub sends and other services have adopted: `X-Hub-Signature-256: sha256=…`, with
    /// the hexadecimal HMAC-SHA-256 of the body.
    ///
    /// ```swift
    /// let webhooks = try WebhookSignature.GitHub(secrets: [secret])
    /// switch webhooks.verify(body, header: { headers[$0] }) {
    /// case .valid: …
    /// case .invalid(let reason): log("webhook rejected: \(reason)")
    /// }
    /// ```
    ///
    /// The older header `X-Hub-Signature`, with HMAC-SHA-1, is not accepted.
    ///
    /// > Warning: Only the body is signed. Neither the event's name nor the delivery's identifier, which are headers, is
    /// > protected, and a signed body can be sent again at any time. If that matters, the body must contain an identifier
    /// > that you remember. ``Standard`` has both.
    public struct GitHub: Sendable, CustomStringConvertible, CustomReflectable {
        /// `X-Hub-Signature-256`.
        public static let headerName = "X-Hub-Signature-256"

        private let keys: WebhookKeys

        /// Creates a signer and verifier.
        ///
        /// - Parameter secrets: The secrets, 1 to ``WebhookSignature/maximumSecretCount``. The first one signs, each of
        ///   them verifies. The bytes of text are its UTF-8.
        /// - Throws: ``SignatureError/invalidSecret`` if a secret is empty, or there are none or too many.
        public init(secrets: [some SecretInput]) throws(SignatureError) {
            keys = try WebhookKeys(secrets)
        }

        /// Returns the value of the header for a body, made with the first secret.
        ///
        /// - Parameter body: The body as it is sent.
        /// - Returns: `sha256=` and 64 lowercase hexadecimal digits.
        public func signature(of body: Span<UInt8>) -> String {
            "sha256=" + (keys.codes(of: body).first?.hex ?? "")
        }

        /// Returns the value of the header for a body, made with the first secret.
        ///
        /// - Parameter body: The body as it is sent; an array, a `String.UTF8View` …
        /// - Returns: `sha256=` and 64 lowercase hexadecimal digits.
        @inlinable
        public func signature(of body: some Collection<UInt8>) -> String {
            body.withContiguousSpan { signature(of: $0) }
        }

        /// Verifies a webhook.
        ///
        /// - Parameters:
        ///   - body: The body exactly as it was received.
        ///   - header: Returns the value of the header with a name, in whatever case it was received; `nil` if it is
        ///     missing. It is called with ``headerName``.
        /// - Returns: Whether the webhook is valid, or why it is not. The digits may be in either case.
        public func verify(_ body: Span<UInt8>, header: (String) -> String?) -> Verification {
            guard let text = header(Self.headerName) else { return .invalid(.missingHeader) }
            guard text.utf8.count == 7 + 64, text.utf8.starts(with: "sha256=".utf8),
                let bytes = try? Hex.decode(text.utf8.dropFirst(7)),
                let signature = MessageDigest<32>(bytes: bytes)
            else { return .invalid(.malformedSignature) }
            return keys.verify([signature], of: body)
        }

        /// Verifies a webhook.
        ///
        /// - Parameters:
        ///   - body: The body exactly as it was received; an array, a `String.UTF8View` …
        ///   - header: Returns the value of the header with a name, in whatever case it was received; `nil` if it is
        ///     missing. It is called with ``headerName``.
        /// - Returns: Whether the webhook is valid, or why it is not. The digits may be in either case.
        @inlinable
        public func verify(_ body: some Collection<UInt8>, header: (String) -> String?) -> Verification {
            body.withContiguousSpan { verify($0, header: header) }
        }

        /// `‹redacted›`, never a secret.
        public var description: String { "‹redacted›" }

        /// A mirror without children: dumping the value reveals nothing of its secrets.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
