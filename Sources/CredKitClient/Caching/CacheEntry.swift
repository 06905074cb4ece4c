// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A stored response to GET. Its body stands apart.
struct CacheEntry: Sendable, Equatable {
    let url: HTTPURL
    let status: HTTPResponse.Status
    /// The fields that may be stored; see `StoredFields`.
    var headers: HTTPFields
    /// When the request was sent that the response, or its last validation, answers.
    var requestTime: UnixTime
    /// When that response came.
    var responseTime: UnixTime
    /// What the response was selected by.
    var variant: VariantKey
    /// The length of the stored body in bytes.
    var bodyLength: Int64 = 0

    /// When the server made the response, by its own clock; `nil` if it does not say so.
    var date: UnixTime? {
        headers.first(.date).flatMap { HTTPDate.parse($0, now: responseTime) }
    }

    /// When the content was last changed, by the server's clock.
    var lastModified: UnixTime? {
        headers.first(.lastModified).flatMap { HTTPDate.parse($0, now: responseTime) }
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
