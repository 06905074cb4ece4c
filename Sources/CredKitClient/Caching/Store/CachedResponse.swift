// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A stored response with its body.
struct CachedResponse: Sendable {
    var entry: CacheEntry
    let body: [UInt8]

    /// Whether this is a newer response than another one of the same variant, which must not replace it.
    func isNewer(than other: CachedResponse) -> Bool {
        entry.variant == other.entry.variant && entry.requestTime > other.entry.requestTime
    }

    /// The memory that it takes, about, in bytes.
    var byteCount: Int {
        entry.headers.reduce(512 + body.count + entry.url.path.utf8.count) { sum, field in
            sum + field.name.rawName.utf8.count + field.value.utf8.count + 32
        }
    }
}
