// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A stored response with its body.
struct CachedResponse: Sendable {
    var entry: CacheEntry
    let body: [UInt8]

    /// The memory that it takes, about, in bytes.
    var byteCount: Int {
        entry.headers.reduce(512 + body.count + entry.url.path.utf8.count) { sum, field in
            sum + field.name.rawName.utf8.count + field.value.utf8.count + 32
        }
    }
}

/// What stored responses belong to: no request finds those of another account, nor those of requests that had other
/// kinds of credentials.
struct CacheLocation: Hashable, Sendable {
    /// The user; `nil` without a login.
    let account: String?
    /// Whether the request had cookies, a token or `Authorization`.
    let hasCredentials: Bool
    let url: HTTPURL

    /// The same in bytes that no other location has. Names are compared as bytes.
    var bytes: [UInt8] {
        let account = account.map { "+\($0)" } ?? "-"
        return Array("\(hasCredentials ? 1 : 0) \(account.utf8.count) \(account) \(url.absoluteString)".utf8)
    }

    static func == (left: CacheLocation, right: CacheLocation) -> Bool {
        left.hasCredentials == right.hasCredentials && left.url == right.url
            && left.account.map { Array($0.utf8) } == right.account.map { Array($0.utf8) }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hasCredentials)
        hasher.combine(url)
    }
}
