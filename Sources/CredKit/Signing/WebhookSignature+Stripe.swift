// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebhookSignature {
    /// Signatures of the form that Stripe sends and other services have adopted: `Stripe-Signature: t=…,v1=…`, with the
    /// hexadecimal HMAC-SHA-256 over a time and the body.
    ///
    /// ```swift
    /// let webhooks = try WebhookSignature.Stripe(secrets: [secret])         // whsec_…, as the service shows it
    /// switch webhooks.verify(body, headers: request.headers) {
    /// case .valid: …                        // claim the identifier in the body, and process the event if it is new
    /// case .invalid(let reason): log("webhook rejected: \(reason)")
    /// }
    /// ```
    ///
    /// The secret is the whole text, with its prefix `whsec_`: unlike those of ``Standard``, it is not Base64. Signatures of
    /// other versions, such as `v0`, are ignored.
    ///
    /// > Important: The time limits only for how long an attacker can send a captured webhook again, and the sender retries
    /// > with new times. To process each event once, claim the identifier that the body contains, as for ``Standard``.
    public struct Stripe: Sendable, CustomStringConvertible, CustomReflectable {
        /// The result of verifying a webhook.
        public enum Verification: Sendable, Hashable {
            /// The signature is valid, and its time is acceptable. The body may have been sent before.
            ///
            /// - Parameter timestamp: The time of this attempt.
            case valid(timestamp: UnixTime)

            /// The webhook must be rejected. The reason is for logs, not for the sender.
            case invalid(Reason)

            /// Whether the webhook is valid.
            public var isValid: Bool {
                switch self {
                case .valid: true
                case .invalid: false
                }
            }
        }

        /// `Stripe-Signature`.
        public static let headerName = "Stripe-Signature"
        /// The maximum length of the header, in bytes.
        public static let maximumHeaderByteCount = 4096
        /// The maximum number of signatures in the header, those of other versions included.
        public static let maximumSignatureCount = 16

        /// How far the time of a webhook may be from the current time, in both directions.
        public let tolerance: Duration

        private let keys: WebhookKeys

        /// Creates a signer and verifier.
        ///
        /// - Parameters:
        ///   - secrets: The secrets, 1 to ``WebhookSignature/maximumSecretCount``. Each of them signs and verifies. The
        ///     bytes of text are its UTF-8.
        ///   - tolerance: How far the time of a webhook may be from the current time, in both directions.
        ///     A negative duration is taken as 0.
        /// - Throws: ``SignatureError/invalidSecret`` if a secret is empty, or there are none or too many;
        ///   ``SignatureError/outOfMemory``.
        public init(
            secrets: [some SecretInput],
            tolerance: Duration = .seconds(300)
        ) throws(SignatureError) {
            keys = try WebhookKeys(secrets)
            self.tolerance = max(.zero, tolerance)
        }

        /// `‹redacted›`, never a secret.
        public var description: String { "‹redacted›" }

        /// A mirror without children: dumping the value reveals nothing of its secrets.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension WebhookSignature.Stripe {
    /// Returns the value of the header for a body, with one signature for each secret.
    ///
    /// - Parameters:
    ///   - body: The body as it is sent.
    ///   - time: The time of this attempt, from 1970 on.
    /// - Returns: `t=`, the time in seconds since 1970, and for each secret `,v1=` and 64 lowercase hexadecimal digits.
    /// - Throws: ``SignatureError/invalidMetadata`` if the time cannot be signed.
    public func signature(of body: Span<UInt8>, at time: UnixTime = .now) throws(SignatureError) -> String {
        let timestamp = String(time.seconds)
        guard WebhookSignature.Standard.time(timestamp) != nil else {
            throw .invalidMetadata("the time of a webhook is before 1970 or in a far future")
        }
        let codes = keys.codes(of: body, after: "\(timestamp).")
        return "t=\(timestamp)" + codes.map { ",v1=\($0.hex)" }.joined()
    }

    /// Returns the value of the header for a body, with one signature for each secret.
    ///
    /// - Parameters:
    ///   - body: The body as it is sent; an array, a `String.UTF8View` …
    ///   - time: The time of this attempt, from 1970 on.
    /// - Returns: `t=`, the time in seconds since 1970, and for each secret `,v1=` and 64 lowercase hexadecimal digits.
    /// - Throws: ``SignatureError/invalidMetadata`` if the time cannot be signed.
    @inlinable
    public func signature(
        of body: some Collection<UInt8>,
        at time: UnixTime = .now
    ) throws(SignatureError) -> String {
        try body.withContiguousSpan { (body) throws(SignatureError) in
            try signature(of: body, at: time)
        }
    }

    /// Verifies a webhook.
    ///
    /// - Parameters:
    ///   - body: The body exactly as it was received.
    ///   - now: The current time.
    ///   - headers: All headers of the request, as they were received. Only ``headerName`` is read.
    /// - Returns: The signed time of the webhook, or why it is invalid. The digits may be in either case.
    public func verify(
        _ body: Span<UInt8>,
        at now: UnixTime = .now,
        headers: some Sequence<(name: String, value: String)>
    ) -> Verification {
        do throws(WebhookSignature.Rejection) {
            let text = try WebhookSignature.values(of: [Self.headerName], in: headers).first ?? ""
            let header = try Header(text)
            guard now - header.time <= tolerance else { return .invalid(.expired) }
            guard header.time - now <= tolerance else { return .invalid(.inFuture) }
            guard keys.isSigned(body, after: "\(header.timestamp).", by: header.signatures) else {
                return .invalid(.mismatch)
            }
            return .valid(timestamp: header.time)
        } catch {
            return .invalid(error.reason)
        }
    }

    /// Verifies a webhook.
    ///
    /// - Parameters:
    ///   - body: The body exactly as it was received; an array, a `String.UTF8View` …
    ///   - now: The current time.
    ///   - headers: All headers of the request, as they were received. Only ``headerName`` is read.
    /// - Returns: The signed time of the webhook, or why it is invalid. The digits may be in either case.
    @inlinable
    public func verify(
        _ body: some Collection<UInt8>,
        at now: UnixTime = .now,
        headers: some Sequence<(name: String, value: String)>
    ) -> Verification {
        body.withContiguousSpan { verify($0, at: now, headers: headers) }
    }

    /// The header, taken apart.
    private struct Header {
        /// The time as it was sent, which is signed.
        let timestamp: String
        let time: UnixTime
        /// The well-formed signatures of version `v1`.
        let signatures: [MessageDigest<32>]

        init(_ header: String) throws(WebhookSignature.Rejection) {
            let elements = header.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard header.utf8.count <= WebhookSignature.Stripe.maximumHeaderByteCount,
                elements.count <= WebhookSignature.Stripe.maximumSignatureCount + 1
            else { throw WebhookSignature.Rejection(reason: .limitExceeded) }
            let times = elements.filter { $0.starts(with: "t=".utf8) }
            // A second time would leave open which one is signed.
            guard times.count == 1, let text = times.first.map({ String(Substring($0.dropFirst(2))) }),
                let time = WebhookSignature.Standard.time(text)
            else { throw WebhookSignature.Rejection(reason: .malformedTimestamp) }
            let current = elements.filter { $0.starts(with: "v1=".utf8) }
            timestamp = text
            self.time = time
            signatures = current.compactMap { element in
                (try? Hex.decode(element.dropFirst(3))).flatMap { MessageDigest<32>(bytes: $0) }
            }
            guard signatures.isEmpty else { return }
            let isOther = current.isEmpty && elements.contains { $0.starts(with: "v".utf8) }
            throw WebhookSignature.Rejection(reason: isOther ? .unsupportedVersion : .malformedSignature)
        }
    }
}
