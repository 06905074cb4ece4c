// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebhookSignature {
    /// Signatures of the form that GitHub sends and other services have adopted: `X-Hub-Signature-256: sha256=…`, with
    /// the hexadecimal HMAC-SHA-256 of the body.
    ///
    /// ```swift
    /// let webhooks = try WebhookSignature.GitHub(secrets: [secret])
    /// switch webhooks.verify(body, headers: request.headers) {
    /// case .valid: …
    /// case .invalid(let reason): log("webhook rejected: \(reason)")
    /// }
    /// ```
    ///
    /// The older header `X-Hub-Signature`, with HMAC-SHA-1, is not accepted.
    ///
    /// > Warning: Only the body is signed. Neither the event's name nor the delivery's identifier, which are headers, is
    /// > protected, and a signed body can be sent again at any time. If that matters, the body must contain an identifier
    /// > that you remember. ``Standard`` signs an identifier and a time.
    public struct GitHub: Sendable, CustomStringConvertible, CustomReflectable {
        /// The result of verifying a webhook.
        public enum Verification: Sendable, Hashable {
            /// The signature is valid. The body may have been sent before.
            case valid

            /// The webhook must be rejected. The reason is for logs, not for the sender.
            case invalid(Reason)

            /// Whether the webhook is valid.
            public var isValid: Bool { self == .valid }
        }

        /// `X-Hub-Signature-256`.
        public static let headerName = "X-Hub-Signature-256"

        private let keys: WebhookKeys

        /// Creates a signer and verifier.
        ///
        /// - Parameter secrets: The secrets, 1 to ``WebhookSignature/maximumSecretCount``. The first one signs, each of
        ///   them verifies. The bytes of text are its UTF-8.
        /// - Throws: ``SignatureError/invalidSecret`` if a secret is empty, or there are none or too many;
        ///   ``SignatureError/outOfMemory``.
        public init(secrets: [some SecretInput]) throws(SignatureError) {
            keys = try WebhookKeys(secrets)
        }

        /// Returns the value of the header for a body, made with the first secret.
        ///
        /// - Parameter body: The body as it is sent.
        /// - Returns: `sha256=` and 64 lowercase hexadecimal digits.
        public func signature(of body: Span<UInt8>) -> String {
            "sha256=" + (keys.firstCode(of: body)?.hex ?? "")
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
        ///   - headers: All headers of the request, as they were received. Only ``headerName`` is read.
        /// - Returns: Whether the webhook is valid, or why it is not. The digits may be in either case.
        public func verify(
            _ body: Span<UInt8>,
            headers: some Sequence<(name: String, value: String)>
        ) -> Verification {
            do throws(Rejection) {
                let text = try WebhookSignature.values(of: [Self.headerName], in: headers).first ?? ""
                let signature = try Self.signature(in: text)
                return keys.isSigned(body, by: [signature]) ? .valid : .invalid(.mismatch)
            } catch {
                return .invalid(error.reason)
            }
        }

        /// Verifies a webhook.
        ///
        /// - Parameters:
        ///   - body: The body exactly as it was received; an array, a `String.UTF8View` …
        ///   - headers: All headers of the request, as they were received. Only ``headerName`` is read.
        /// - Returns: Whether the webhook is valid, or why it is not. The digits may be in either case.
        @inlinable
        public func verify(
            _ body: some Collection<UInt8>,
            headers: some Sequence<(name: String, value: String)>
        ) -> Verification {
            body.withContiguousSpan { verify($0, headers: headers) }
        }

        private static func signature(in header: String) throws(Rejection) -> MessageDigest<32> {
            guard header.utf8.count == 7 + 64, header.utf8.starts(with: "sha256=".utf8),
                let bytes = try? Hex.decode(header.utf8.dropFirst(7)),
                let signature = MessageDigest<32>(bytes: bytes)
            else { throw Rejection(reason: .malformedSignature) }
            return signature
        }

        /// `‹redacted›`, never a secret.
        public var description: String { "‹redacted›" }

        /// A mirror without children: dumping the value reveals nothing of its secrets.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
