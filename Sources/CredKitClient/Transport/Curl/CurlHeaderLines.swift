// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The lines of a request's headers.
struct CurlHeaderLines {
    private let fields: HTTPFields
    private var cookies: String?
    /// Lines without a value, which take back what libcurl would send of its own.
    private var removed: [String] = []
    /// How many lines there are, and how many bytes they have with an end of one byte each.
    private(set) var count = 0
    private(set) var byteCount = 0

    /// Read the headers of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasBody: Whether libcurl would say of which type the body is.
    /// - Throws: ``LoginError/invalidRequest``.
    init(_ request: HTTPRequest, hasBody: Bool) throws(LoginError) {
        fields = request.headerFields
        var (hasAccept, hasExpect, hasContentType) = (false, false, !hasBody)
        for field in fields {
            guard field.name != Self.host else {
                throw .invalidRequest("the host is part of the URL, not a header")
            }
            // What would frame the message in another way, or begin another header.
            guard field.value.utf8.allSatisfy({ $0 != 13 && $0 != 10 && $0 != 0 }) else {
                throw .invalidRequest(
                    "the header \(field.name.canonicalName) has characters that HTTP does not allow"
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

    /// The parts of each line.
    func forEach(_ body: (_ name: String, _ separator: String, _ value: String) -> Void) {
        for field in fields where field.name != .cookie {
            let value = field.value
            // libcurl sends a header without a value if its line ends with a semicolon.
            body(field.name.rawName, value.isEmpty ? ";" : ": ", value)
        }
        // HTTPTypes keeps cookies in a field each, as HTTP/2 may have them. HTTP/1.1 has one field for all
        // of them, RFC 9113 section 8.2.3; of several, servers read one.
        if let cookies { body("Cookie", ": ", cookies) }
        for name in removed { body(name, ":", "") }
    }

    private static let host = HTTPField.Name("Host")
}
