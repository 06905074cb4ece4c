// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An http or https URL, parsed strictly so that two parsers cannot disagree about its host.
///
/// A URL must not contain user information, control characters, blanks or backslashes. Its host consists of
/// ASCII letters, digits, `-`, `_` and `.`. The fragment is dropped. Bytes that RFC 3986 allows neither in a
/// path nor in a query are percent-encoded as UTF-8, so that later parsers have nothing to correct.
public struct HTTPURL: Sendable, Hashable {
    /// Shared by all copies: a request is copied from stage to stage.
    private final class Parts: Sendable {
        let origin: Origin
        let path: String
        let query: String?
        let target: String

        init(origin: Origin, path: String, query: String?) {
            self.origin = origin
            self.path = path
            self.query = query
            target = query.map { "\(path)?\($0)" } ?? path
        }
    }

    private let parts: Parts

    /// Scheme, host and port.
    public var origin: Origin { parts.origin }

    /// The path, percent-encoded; it begins with a slash.
    public var path: String { parts.path }

    /// The query, percent-encoded, without its question mark; `nil` if there is none.
    public var query: String? { parts.query }

    init(origin: Origin, path: String, query: String?) {
        parts = Parts(origin: origin, path: path, query: query)
    }

    /// The path and query as sent in a request.
    public var target: String { parts.target }

    /// The whole URL.
    public var absoluteString: String {
        // Appending takes a fraction of the time of an interpolation.
        var text = origin.scheme
        text.reserveCapacity(8 + origin.authority.utf8.count + target.utf8.count)
        text += "://"
        text += origin.authority
        text += target
        return text
    }

    /// Whether origin, path and query are the same, byte by byte.
    public static func == (left: HTTPURL, right: HTTPURL) -> Bool {
        left.parts === right.parts
            || ASCIIText.areEqual(left.target, right.target) && left.origin == right.origin
    }

    /// Hashes host, port, path and query.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(target)
    }
}
