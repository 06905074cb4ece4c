// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The header lines of a request for libcurl.
struct CurlHeaderLines {
    private let fields: HTTPFields
    private var cookies: String?
    /// Lines without a value, which remove headers that libcurl would add.
    private var removed: [String] = []
    /// The number of lines, and their size in bytes with a one-byte end each.
    private(set) var count = 0
    private(set) var byteCount = 0

    /// Creates the lines from the headers of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasBody: Whether libcurl would add the type of the body.
    /// - Throws: ``ClientError/invalidRequest``.
    init(_ request: HTTPRequest, hasBody: Bool) throws(ClientError) {
        fields = request.headerFields
        var (hasAccept, hasExpect, hasContentType) = (false, false, !hasBody)
        for field in fields {
            guard field.name != Self.host else {
                throw .invalidRequest("invalid request: set the host in the URL, not in a header")
            }
            // HTTPTypes replaces CR, LF and NUL, which would begin another header, by blanks. It allows other control
            // characters in a value that was made leniently.
            guard Self.isValue(field.value) else {
                throw .invalidRequest(
                    "invalid request: the header \(field.name.canonicalName) has characters that HTTP does not allow"
                )
            }
            switch field.name {
            case .cookie:
                cookies = cookies.map { "\($0); \(field.value)" } ?? field.value
                continue
            case .accept: hasAccept = true
            case .expect: hasExpect = true
            case .contentType: hasContentType = true
            default: break
            }
        }
        if !hasAccept { removed.append("Accept") }
        if !hasExpect { removed.append("Expect") }
        if !hasContentType { removed.append("Content-Type") }
        forEach { name, separator, value in
            count += 1
            byteCount += name.utf8.count + separator.utf8.count + value.utf8.count + 1
        }
    }

    /// Calls a function with the parts of each line.
    func forEach(_ body: (_ name: String, _ separator: String, _ value: String) -> Void) {
        for field in fields where field.name != .cookie {
            let value = field.value
            // libcurl sends a header with an empty value if its line ends with a semicolon.
            body(field.name.rawName, value.isEmpty ? ";" : ": ", value)
        }
        // HTTPTypes stores each cookie in its own field, as HTTP/2 allows. HTTP/1.1 requires one field for
        // all of them, RFC 9113 section 8.2.3; servers read only one of several.
        if let cookies { body("Cookie", ": ", cookies) }
        for name in removed { body(name, ":", "") }
    }

    /// Whether a text can be the value of a header.
    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    private static let host = HTTPField.Name("Host")
}
