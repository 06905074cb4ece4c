// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A parsed `Set-Cookie` field. As RFC 6265bis section 5.6 requires, almost nothing is an error.
struct SetCookie {
    /// The name; empty if there is no `=`.
    private(set) var name = ""
    /// The value, including quotation marks if there are any.
    private(set) var value = ""
    /// The last valid `Expires`.
    private(set) var expires: UnixTime?
    /// The last valid `Max-Age`. Out-of-range numbers become the largest or smallest possible value.
    private(set) var maxAge: Duration?
    /// The last `Domain` in lower case without a leading dot; empty counts as none.
    private(set) var domain = ""
    /// Whether there is a `Path`, with any value.
    private(set) var hasPath = false
    /// The last `Path`, if it begins with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite = StoredCookie.SameSite.unspecified

    /// The maximum size of a name and its value together in bytes.
    static let longestPair = 4096
    /// The maximum size of an attribute value in bytes; longer ones are ignored.
    static let longestAttributeValue = 1024

    /// Parses the value of a field.
    ///
    /// - Parameter field: The text after `Set-Cookie:`.
    /// - Throws: The reason why it sets no cookie.
    init(_ field: String) throws(CookieRejection) {
        let bytes = Substring(field).utf8
        guard !Self.hasControls(bytes) else { throw CookieRejection(name: "", reason: .controlCharacter) }
        let pairEnd = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
        let (first, second) = Self.pair(bytes[..<pairEnd])
        (name, value) = second.map { (String(first), String($0)) } ?? ("", String(first))
        guard Self.isOfAllowedLength(name: name, value: value) else {
            throw CookieRejection(name: name, reason: .tooLong)
        }
        guard !name.isEmpty || !value.isEmpty else { throw CookieRejection(name: "", reason: .empty) }
        var rest = bytes[pairEnd...]
        while !rest.isEmpty {
            rest = rest.dropFirst()
            let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
            let (name, value) = Self.pair(rest[..<end])
            if (value?.utf8.count ?? 0) <= Self.longestAttributeValue { take(name, value ?? "") }
            rest = rest[end...]
        }
    }

    /// Whether there are control characters other than HTAB. A field that contains one is dropped as a whole.
    static func hasControls(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }

    static func isOfAllowedLength(name: String, value: String) -> Bool {
        name.utf8.count <= longestPair && name.utf8.count + value.utf8.count <= longestPair
    }

    /// Returns the text before and after the first `=`, without surrounding blanks.
    private static func pair(_ bytes: Substring.UTF8View) -> (Substring, Substring?) {
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(bytes), nil) }
        return (trimmed(bytes[..<equals]), trimmed(bytes[equals...].dropFirst()))
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        return Substring(bytes)
    }

    private mutating func take(_ name: Substring, _ value: Substring) {
        switch ASCIIText.lowercased(name) {
        case "expires":
            if let time = CookieDate.parse(value.utf8) { expires = time }
        case "max-age":
            if let seconds = Self.seconds(value.utf8) { maxAge = .seconds(seconds) }
        case "domain":
            domain = ASCIIText.lowercased(value.utf8.first == UInt8(ascii: ".") ? value.dropFirst() : value)
        case "path":
            hasPath = true
            path = value.utf8.first == UInt8(ascii: "/") ? String(value) : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            sameSite =
                switch ASCIIText.lowercased(value) {
                case "none": .none
                case "strict": .strict
                case "lax": .lax
                default: .unspecified
                }
        default: break
        }
    }

    /// Section 5.6.2: digits with an optional minus sign.
    private static func seconds(_ text: Substring.UTF8View) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(Substring(text)) ?? (isNegative ? .min : .max)
    }
}
