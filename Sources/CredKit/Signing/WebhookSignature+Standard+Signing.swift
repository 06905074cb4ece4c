// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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

    /// Verifies a webhook.
    ///
    /// - Parameters:
    ///   - body: The body exactly as it was received.
    ///   - now: The current time.
    ///   - header: Returns the value of the header with a name, in whatever case it was received; `nil` if it is missing.
    ///     It is called with the three names.
    /// - Returns: Whether the webhook is valid, or why it is not.
    public func verify(
        _ body: Span<UInt8>,
        at now: UnixTime = .now,
        header: (String) -> String?
    ) -> WebhookSignature.Verification {
        guard let id = header(Self.idHeaderName), let timestamp = header(Self.timestampHeaderName),
            let text = header(Self.signatureHeaderName)
        else { return .invalid(.missingHeader) }
        if let reason = Self.rejection(ofID: id) { return .invalid(reason) }
        guard let time = Self.time(timestamp) else { return .invalid(.malformedTimestamp) }
        let signatures: [MessageDigest<32>]
        switch Self.signatures(in: text) {
        case .success(let found): signatures = found
        case .failure(let failure): return .invalid(failure.reason)
        }
        guard now - time <= tolerance else { return .invalid(.expired) }
        guard time - now <= tolerance else { return .invalid(.inFuture) }
        return keys.verify(signatures, of: body, after: "\(id).\(timestamp).")
    }

    /// Verifies a webhook.
    ///
    /// - Parameters:
    ///   - body: The body exactly as it was received; an array, a `String.UTF8View` …
    ///   - now: The current time.
    ///   - header: Returns the value of the header with a name, in whatever case it was received; `nil` if it is missing.
    ///     It is called with the three names.
    /// - Returns: Whether the webhook is valid, or why it is not.
    @inlinable
    public func verify(
        _ body: some Collection<UInt8>,
        at now: UnixTime = .now,
        header: (String) -> String?
    ) -> WebhookSignature.Verification {
        body.withContiguousSpan { verify($0, at: now, header: header) }
    }
}
