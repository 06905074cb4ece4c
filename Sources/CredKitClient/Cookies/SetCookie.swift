// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a `Set-Cookie` field says, read as RFC 6265bis section 5.6 reads it: hardly anything is an error.
struct SetCookie {
    /// The name, empty when there is no `=`.
    private(set) var name = ""
    /// The value, with its quotation marks if it has some.
    private(set) var value = ""
    /// The date of the last `Expires` that is one, in seconds from 1970.
    private(set) var expires: Int64?
    /// The seconds of the last `Max-Age` that is a number; what does not fit is the largest or smallest that
    /// does.
    private(set) var maxAge: Int64?
    /// The last `Domain` in lower case and without a leading dot; empty is as good as none.
    private(set) var domain = ""
    /// Whether there is a `Path`, of whatever value.
    private(set) var hasPath = false
    /// The last `Path`, if it begins with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite = StoredCookie.SameSite.unspecified

    /// The most bytes that a name and its value have together.
    static let longestPair = 4096
    /// The most bytes of an attribute's value; longer ones are as good as not there.
    static let longestAttributeValue = 1024

    /// Reads a field's value.
    ///
    /// - Parameter field: The text behind `Set-Cookie:`.
    /// - Throws: Why it sets no cookie.
    init(_ field: String) throws(CookieRefusal) {
        let bytes = Substring(field).utf8
        guard !Self.hasControls(bytes) else { throw CookieRefusal(name: "", reason: .controlCharacter) }
        let pairEnd = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
        let (first, second) = Self.pair(bytes[..<pairEnd])
        (name, value) = second.map { (String(first), String($0)) } ?? ("", String(first))
        guard Self.isOfAllowedLength(name: name, value: value) else {
            throw CookieRefusal(name: name, reason: .tooLong)
        }
        guard !name.isEmpty || !value.isEmpty else { throw CookieRefusal(name: "", reason: .empty) }
        var rest = bytes[pairEnd...]
        while !rest.isEmpty {
            rest = rest.dropFirst()
            let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
            let (name, value) = Self.pair(rest[..<end])
            if (value?.utf8.count ?? 0) <= Self.longestAttributeValue { take(name, value ?? "") }
            rest = rest[end...]
        }
    }

    /// Whether there are control characters other than HTAB, with which a field is to be dropped as a whole.
    static func hasControls(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }

    static func isOfAllowedLength(name: String, value: String) -> Bool {
        name.utf8.count <= longestPair && name.utf8.count + value.utf8.count <= longestPair
    }

    /// What stands before and behind the first `=`, without blanks around it.
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
            if let seconds = CookieDate.seconds(value.utf8) { expires = seconds }
        case "max-age":
            if let seconds = Self.seconds(value.utf8) { maxAge = seconds }
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

    /// Section 5.6.2: digits, with a minus before them or not.
    private static func seconds(_ text: Substring.UTF8View) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(Substring(text)) ?? (isNegative ? .min : .max)
    }
}
