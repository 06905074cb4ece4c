// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A stored response to GET. Its body stands apart.
struct CacheEntry: Sendable, Equatable {
    let url: HTTPURL
    let status: HTTPResponse.Status
    /// The fields that may be stored; see `StoredFields`.
    let headers: HTTPFields
    /// When the request was sent that the response, or its last validation, answers.
    let requestTime: UnixTime
    /// When that response came.
    let responseTime: UnixTime
    /// What the response was selected by.
    var variant: VariantKey
    /// The length of the stored body in bytes.
    var bodyLength: Int64

    // What the fields say, parsed once: each request that is answered needs it several times.

    let control: CacheControl
    /// When the server made the response, by its own clock; `nil` if it does not say so.
    let date: UnixTime?
    /// When the content was last changed, by the server's clock.
    let lastModified: UnixTime?
    /// The first valid value of `Age` in seconds, RFC 9111 section 5.1; 0 if there is none.
    let statedAge: Int64

    init(
        url: HTTPURL,
        status: HTTPResponse.Status,
        headers: HTTPFields,
        times: ExchangeTimes,
        variant: VariantKey,
        bodyLength: Int64 = 0
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        requestTime = times.request
        responseTime = times.response
        self.variant = variant
        self.bodyLength = bodyLength
        control = CacheControl(response: headers)
        date = headers.first(.date).flatMap { HTTPDate.parse($0, now: times.response) }
        lastModified = headers.first(.lastModified).flatMap { HTTPDate.parse($0, now: times.response) }
        let ages = headers.hasField(.age) ? FieldList(headers[values: .age]).elements : []
        statedAge = ages.lazy.compactMap { DeltaSeconds.parse($0) }.first ?? 0
    }

    /// Returns the same response with other fields, received at another time.
    func with(_ headers: HTTPFields, _ times: ExchangeTimes) -> CacheEntry {
        CacheEntry(
            url: url,
            status: status,
            headers: headers,
            times: times,
            variant: variant,
            bodyLength: bodyLength
        )
    }

    /// The entity tag, if it can be sent back.
    var entityTag: EntityTag? { EntityTag(headers[values: .eTag]) }

    /// Adds the whole body.
    ///
    /// - Parameter length: The number of bytes that were received before the body ended.
    /// - Returns: The entry to store; `nil` if the server announced another length.
    func completed(bodyLength length: Int64) -> CacheEntry? {
        for declared in FieldList(headers[values: .contentLength]).elements where Int64(declared) != length {
            return nil
        }
        var entry = self
        entry.bodyLength = length
        return entry
    }
}
