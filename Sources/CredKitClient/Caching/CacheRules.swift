// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// The rules of a private cache: RFC 9111, with RFC 5861 (stale responses) and RFC 8246 (immutable ones).
///
/// They are pure functions of a request or response, the stored responses for its URL, and the time. They
/// store nothing themselves. `matches` says which stored responses fit a request, `decide`
/// (`CacheRules+Deciding`) what to do with it, `receive` (`+Responses`, with `+Confirming` for a 304 and `+Storing` for
/// what may be stored) what to do with its response, and `fallback` (`+Fallbacks`) what to do where none came.
struct CacheRules: Sendable {
    /// The names of fields with credentials, which are never stored, apart from `Set-Cookie`.
    var secretFields: Set<HTTPField.Name> = []

    /// Whether a stale response is used while the server cannot be reached, RFC 9111 section 4.2.4.
    var servesStaleOffline = false

    /// Whether a stale response is used while a new one is requested in the background, RFC 5861 section 3.
    var refreshesInBackground = true

    /// A keyed hash of the value of a request field. It must be the same for the lifetime of stored responses.
    let digest: @Sendable ([UInt8]) -> [UInt8]

    /// Returns what a request is selected by; `nil` if no later request can be.
    func variantKey(of request: CacheRequest, for response: HTTPFields) -> VariantKey? {
        VariantKey.names(in: response).map { names in
            VariantKey(
                fields: names.map { name in
                    .init(name: name, digest: digest(VariantKey.bytes(of: name, in: request.headers)))
                }
            )
        }
    }

    /// Returns the stored responses that may answer a request, RFC 9111 section 4.1, latest first.
    func matches(for request: CacheRequest, in stored: [CacheEntry]) -> [CacheEntry] {
        stored.filter { entry in
            entry.url == request.url
                && entry.variant.fields.allSatisfy { field in
                    field.digest == digest(VariantKey.bytes(of: field.name, in: request.headers))
                }
        }
        .sorted { left, right in
            let dates = (left.date ?? left.responseTime, right.date ?? right.responseTime)
            return dates.0 != dates.1 ? dates.0 > dates.1 : left.responseTime > right.responseTime
        }
    }
}
