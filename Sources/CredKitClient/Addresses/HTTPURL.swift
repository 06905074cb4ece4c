// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A URL with http or https, read strictly, so that no two readers of it can see two hosts.
///
/// What a URL must not have: user information, control characters, blanks, backslashes, a host in other
/// characters than ASCII letters, digits, `-`, `_` and `.`. A fragment is dropped. What RFC 3986 allows
/// neither in a path nor in a query is percent-encoded as UTF-8, so that whoever reads the URL after us has
/// nothing to correct.
public struct HTTPURL: Sendable, Hashable {
    /// Scheme, host and port.
    public let origin: Origin

    /// The path, percent-encoded; it begins with a slash.
    public let path: String

    /// The query, percent-encoded, without its question mark; `nil` if there is none.
    public let query: String?

    init(origin: Origin, path: String, query: String?) {
        self.origin = origin
        self.path = path
        self.query = query
    }

    /// Path and query as a request has them.
    public var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// The whole URL.
    public var text: String { "\(origin)\(target)" }
}
