// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import HTTPTypes

/// What a request asks for: the target of its first line as it was sent, in one of the four forms of RFC 9112 §3.2.
///
/// Clients send bytes that RFC 3986 does not allow in a path or query: curl and Node.js send `[`, `|` and `"` as they
/// are. A signature covers what was sent, so nothing is encoded or normalized here.
struct MessageTarget {
    let method: HTTPRequest.Method
    let scheme: String
    let authority: String
    /// The path; empty in a URL without one and of `CONNECT`, and `*` as it is.
    private let path: String
    private let query: String?
    /// The whole target if it is a URL.
    private let url: String?

    /// Takes a target apart.
    ///
    /// - Parameters:
    ///   - target: The target, without blanks and control characters.
    ///   - method: The method.
    ///   - hosts: The values of the headers `Host`.
    ///   - isSecure: Whether the request was sent over https; a URL says that itself.
    /// - Throws: Why the target is malformed.
    init(
        _ target: ArraySlice<UInt8>,
        of method: HTTPRequest.Method,
        hosts: [String],
        isSecure: Bool
    ) throws(MessageFile.Malformed) {
        guard hosts.count < 2 else { throw .init(reason: "it has more than one header 'Host'") }
        guard !target.contains(UInt8(ascii: "#")) else {
            throw .init(reason: "its target has a fragment, which no request has: write '#' as %23")
        }
        var scheme = isSecure ? "https" : "http"
        var host = hosts.first
        var rest = target
        var url: String?
        if method == .connect {
            guard Self.endsWithPort(target) else {
                throw .init(reason: "the target of CONNECT must be HOST:PORT")
            }
            host = Self.text(target)
            rest = []
        } else if let colon = Self.endOfScheme(target) {
            // The URL takes the place of the header `Host` (RFC 9112 §3.2.2).
            scheme = Self.text(target[..<colon])
            rest = target[colon...].dropFirst(3)
            let named = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            host = Self.text(named)
            rest = rest[named.endIndex...]
            url = Self.text(target)
        } else if target.elementsEqual("*".utf8) {
            guard method == .options else { throw .init(reason: "only OPTIONS can have the target '*'") }
        } else if target.first != UInt8(ascii: "/") {
            throw .init(
                reason: "the target of its first line is neither a path nor an http or https URL"
            )
        }
        guard let authority = host else { throw .init(reason: "it needs a header 'Host'") }
        guard Self.isAuthority(authority) else {
            throw .init(reason: "the host in its target or its header 'Host' is malformed")
        }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.path = Self.text(path)
        query = path.endIndex == rest.endIndex ? nil : Self.text(rest[path.endIndex...].dropFirst())
        self.url = url
    }

    /// Path and query; `nil` if the request can have no parameters: `OPTIONS *` and `CONNECT`.
    var pathAndQuery: String? {
        guard method != .connect, path != "*" else { return nil }
        return query.map { "\(path)?\($0)" } ?? path
    }

    /// Returns the request for signatures.
    func request(fields: [MessageSignature.Field]) -> MessageSignature.Request {
        MessageSignature.Request(
            method: method.rawValue,
            scheme: scheme,
            authority: authority,
            path: path,
            query: query,
            target: url,
            fields: fields
        )
    }

    /// Returns the index of the colon behind `http` or `https`; `nil` if the target is not a URL.
    private static func endOfScheme(_ target: ArraySlice<UInt8>) -> Int? {
        guard let colon = target.firstIndex(of: UInt8(ascii: ":")),
            target[colon...].starts(with: "://".utf8),
            ["http", "https"].contains(text(target[..<colon]).lowercased())
        else { return nil }
        return colon
    }

    private static func endsWithPort(_ target: ArraySlice<UInt8>) -> Bool {
        guard let colon = target.lastIndex(of: UInt8(ascii: ":")) else { return false }
        let port = target[colon...].dropFirst()
        return !port.isEmpty && port.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether a text is a host with an optional port, which does not continue as a path, query or fragment.
    private static func isAuthority(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
            && (try? Origin("http://\(text)")) != nil
    }

    /// Returns bytes as text. Those that are not UTF-8 (Node.js sends ISO 8859-1) become text that no component can
    /// be made of: the replacement character cannot be signed, and followed by the byte it is not a valid parameter.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytes.reduce(into: "") { text, byte in
            if byte < 0x80 {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\u{FFFD}%\(Hex.encode([byte]))"
            }
        }
    }
}
