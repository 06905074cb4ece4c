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
}
