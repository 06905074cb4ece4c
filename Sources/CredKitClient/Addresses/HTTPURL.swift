// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An http or https URL, parsed strictly so that two parsers cannot disagree about its host.
///
/// A URL must not contain user information, control characters, blanks or backslashes. Its host consists of
/// ASCII letters, digits, `-`, `_` and `.`. The fragment is dropped. Bytes that RFC 3986 allows neither in a
/// path nor in a query are percent-encoded as UTF-8, so that later parsers have nothing to correct.
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

    /// The path and query as sent in a request.
    public var target: String { query.map { "\(path)?\($0)" } ?? path }

    /// The whole URL.
    public var absoluteString: String { "\(origin)\(target)" }
}
