// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebhookSignature.Standard {
    /// The result of verifying a webhook.
    public enum Verification: Sendable, Hashable {
        /// The signature is valid, and its time is acceptable. Claim the identifier before you process the webhook.
        ///
        /// - Parameters:
        ///   - id: The identifier of the event, the same for each attempt to deliver it.
        ///   - timestamp: The time of this attempt.
        case valid(id: String, timestamp: UnixTime)

        /// The webhook must be rejected. The reason is for logs, not for the sender.
        case invalid(WebhookSignature.Reason)

        /// Whether the webhook is valid.
        public var isValid: Bool {
            switch self {
            case .valid: true
            case .invalid: false
            }
        }
    }

    /// Verifies a webhook.
    ///
    /// - Parameters:
    ///   - body: The body exactly as it was received.
    ///   - now: The current time.
    ///   - headers: All headers of the request, as they were received. Only the three of the format are read.
    /// - Returns: The signed identifier and time of the webhook, or why it is invalid.
    public func verify(
        _ body: Span<UInt8>,
        at now: UnixTime = .now,
        headers: some Sequence<(name: String, value: String)>
    ) -> Verification {
        do throws(WebhookSignature.Rejection) {
            let values = try WebhookSignature.values(
                of: [Self.idHeaderName, Self.timestampHeaderName, Self.signatureHeaderName],
                in: headers
            )
            let (id, timestamp) = (values[0], values[1])
            if let reason = Self.rejection(ofID: id) { return .invalid(reason) }
            guard let time = Self.time(timestamp) else { return .invalid(.malformedTimestamp) }
            let signatures = try Self.signatures(in: values[2])
            guard now - time <= tolerance else { return .invalid(.expired) }
            guard time - now <= tolerance else { return .invalid(.inFuture) }
            guard keys.isSigned(body, after: "\(id).\(timestamp).", by: signatures) else {
                return .invalid(.mismatch)
            }
            return .valid(id: id, timestamp: time)
        } catch {
            return .invalid(error.reason)
        }
    }

    /// Verifies a webhook.
    ///
    /// - Parameters:
    ///   - body: The body exactly as it was received; an array, a `String.UTF8View` …
    ///   - now: The current time.
    ///   - headers: All headers of the request, as they were received. Only the three of the format are read.
    /// - Returns: The signed identifier and time of the webhook, or why it is invalid.
    @inlinable
    public func verify(
        _ body: some Collection<UInt8>,
        at now: UnixTime = .now,
        headers: some Sequence<(name: String, value: String)>
    ) -> Verification {
        body.withContiguousSpan { verify($0, at: now, headers: headers) }
    }
}
