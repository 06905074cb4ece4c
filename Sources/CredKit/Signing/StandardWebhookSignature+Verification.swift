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

extension WebhookSignature.Standard {
    /// Returns why an identifier is refused; `nil` if it is not.
    static func rejection(ofID id: String) -> WebhookSignature.Reason? {
        guard id.utf8.count <= maximumIDByteCount else { return .limitExceeded }
        let isValid = !id.utf8.isEmpty && id.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ".") }
        return isValid ? nil : .malformedID
    }

    /// Parses a time: up to 12 decimal digits, without a sign or leading zeros, so that a time has one text.
    static func time(_ text: String) -> UnixTime? {
        guard 1...12 ~= text.utf8.count,
            text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            text == "0" || text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int64(text).map { UnixTime($0) }
    }

    /// Returns the well-formed signatures of version `v1` in a header. Others are ignored, because a sender may add new
    /// versions, if there is at least one.
    static func signatures(in header: String) throws(WebhookSignature.Rejection) -> [MessageDigest<32>] {
        guard header.utf8.count <= maximumHeaderByteCount else {
            throw WebhookSignature.Rejection(reason: .limitExceeded)
        }
        let texts = header.utf8.split(separator: UInt8(ascii: " "))
        guard texts.count <= maximumSignatureCount else {
            throw WebhookSignature.Rejection(reason: .limitExceeded)
        }
        let current = texts.filter { $0.starts(with: "v1,".utf8) }
        let signatures = current.compactMap { text in
            (try? Base64.standard.decode(text.dropFirst(3))).flatMap { MessageDigest<32>(bytes: $0) }
        }
        guard signatures.isEmpty else { return signatures }
        let isMalformed = !current.isEmpty || texts.allSatisfy { !$0.contains(UInt8(ascii: ",")) }
        throw WebhookSignature.Rejection(reason: isMalformed ? .malformedSignature : .unsupportedVersion)
    }
}
