// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A text that begins with a known name in braces, divided at the brace: `{SSHA}`, `{ssha}`, `{SHA1.HEX}`.
struct PrefixedText: Sendable {
    /// The prefix with its braces, byte for byte; two of them if the first one is Spring's `{ldap}`.
    let prefix: String
    /// The text behind the prefix.
    let rest: String
    /// The encoding that a suffix of the name states.
    let encoding: DigestEncoding?
    let entry: HashPrefix

    /// The number of bytes that are read of a name. The longest known name with a suffix is shorter.
    private static let nameByteCount = 48

    private init(prefix: String, rest: String, encoding: DigestEncoding?, entry: HashPrefix) {
        self.prefix = prefix
        self.rest = rest
        self.encoding = encoding
        self.entry = entry
    }

    /// Reads the prefix of a text; `nil` if it has none, or an unknown one.
    init?(_ text: String) {
        guard let (name, rest) = Self.divide(text) else { return nil }
        let nested = name.lowercased() == "ldap" ? Self.nested(name, rest) : nil
        guard let found = nested ?? Self.find(name, rest) else { return nil }
        self = found
    }

    /// Finds the entry of a name and the text behind it. If no entry is for such a text, one of the name is returned,
    /// so that the error says what is wrong with the text.
    private static func find(_ name: String, _ rest: String) -> Self? {
        let parts = name.lowercased().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let entries = HashPrefixes.byName[String(parts[0])] else { return nil }
        guard parts.count == 2 else {
            guard let entry = entries.first(where: { $0.form.contains(rest) }) ?? entries.last else {
                return nil
            }
            return Self(prefix: "{\(name)}", rest: rest, encoding: nil, entry: entry)
        }
        // Only Dovecot has suffixes.
        let candidates = entries.filter { $0.systems.contains(.dovecot) }
        guard let encoding = suffixes[String(parts[1])]?.matchingCase(of: rest), let first = candidates.first
        else { return nil }
        let text = decodeText(rest, encoding) ?? ""
        let entry = candidates.first { $0.isDigest || $0.form.contains(text) } ?? first
        return Self(
            prefix: "{\(name)}",
            rest: rest,
            encoding: encoding,
            entry: HashPrefix(
                name: entry.name,
                systems: [.dovecot],
                content: entry.content,
                form: entry.form
            )
        )
    }

    /// Reads Spring's `{ldap}` before `{SSHA}` or `{SHA}`: the only name before another one, so that nothing is read
    /// recursively.
    private static func nested(_ name: String, _ text: String) -> Self? {
        guard let (innerName, rest) = divide(text), let inner = find(innerName, rest), inner.encoding == nil,
            ["sha", "ssha"].contains(where: { innerName == $0 || innerName == $0.uppercased() }),
            case .digest(.fast(.sha1), let layout, .base64) = inner.entry.content
        else { return nil }
        return Self(
            prefix: "{\(name)}\(inner.prefix)",
            rest: rest,
            encoding: nil,
            entry: HashPrefix(
                name: "ldap",
                systems: [.springSecurity],
                content: .digest(.fast(.sha1), layout, .base64)
            )
        )
    }

    private static let suffixes: [String: DigestEncoding] = [
        "hex": .hex, "b64": .base64, "base64": .base64,
    ]

    /// Returns the text behind the prefix without the encoding of the suffix.
    func text() throws(PasswordError) -> String {
        guard let encoding else { return rest }
        _ = try encoding.decode(rest)
        guard let text = Self.decodeText(rest, encoding) else {
            throw .malformed("the text behind the prefix does not encode printable ASCII")
        }
        return text
    }

    private static func decodeText(_ text: String, _ encoding: DigestEncoding) -> String? {
        guard let bytes = try? encoding.decode(text), bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the whole text again, for a text behind the prefix.
    static func join(_ prefix: String, _ text: String, _ encoding: DigestEncoding?) -> String {
        prefix + (encoding?.encode(Array(text.utf8)) ?? text)
    }

    /// Returns the name in the braces that a text begins with, and what follows; `nil` if that is no name.
    static func divide(_ text: String) -> (name: String, rest: String)? {
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: "{"),
            let end = bytes.prefix(nameByteCount + 2).firstIndex(of: UInt8(ascii: "}"))
        else { return nil }
        let name = bytes[bytes.index(after: bytes.startIndex)..<end]
        guard !name.isEmpty, name.allSatisfy(isNameByte) else { return nil }
        return (
            String(decoding: name, as: UTF8.self),
            String(decoding: bytes[bytes.index(after: end)...], as: UTF8.self)
        )
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte || "-_.@".utf8.contains(byte)
    }
}
