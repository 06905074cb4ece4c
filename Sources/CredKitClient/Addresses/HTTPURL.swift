// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

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

extension HTTPURL {
    /// Returns this URL with a path appended, with one slash between the two paths.
    ///
    /// `path` begins with a slash and is percent-encoded. A query may follow it.
    func appending(path: String) throws(ClientError) -> HTTPURL {
        var base = self.path
        while base.utf8.last == UInt8(ascii: "/") { base.removeLast() }
        return try HTTPURL("\(origin)\(base)\(path)")
    }

    /// Returns this URL, whose path ends in a slash, with a name appended that is not encoded.
    package func appending(name: some Collection<UInt8>) -> HTTPURL {
        HTTPURL(origin: origin, path: path + PercentCoding.component.encode(name), query: query)
    }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The origin and the path. The query may contain secrets and is left out.
    public var description: String { "\(origin)\(path)" }

    /// The same as ``description``, because lists and optionals print their elements with this.
    public var debugDescription: String { description }

    /// A mirror without the query.
    public var customMirror: Mirror {
        Mirror(self, children: ["origin": origin, "path": path], displayStyle: .struct)
    }
}

extension HTTPURL {
    /// Returns this URL with parameters of the query added, or replaced where they stand.
    func setting(_ parameters: [(name: String, value: [UInt8])]) -> HTTPURL {
        var query = FormText(query?[...] ?? "")
        for (name, value) in parameters { query.set(name, to: value) }
        let text = query.text
        return HTTPURL(origin: origin, path: path, query: text.isEmpty ? nil : text)
    }

    /// Returns the first value of a parameter of the query, not encoded; `nil` if there is none.
    package func parameter(_ name: String) -> [UInt8]? { FormText(query?[...] ?? "").value(name) }
}
