// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The name in braces before a hash of LDAP, as it was written: `{SSHA}`, `{ssha}`. Its case has no meaning (RFC 2307).
struct LDAPPrefix: Sendable {
    /// The prefix with its braces.
    let text: String

    /// Reads the prefix of a text; `nil` if it has none.
    init?(of text: String) {
        guard text.utf8.first == UInt8(ascii: "{"), let end = text.utf8.firstIndex(of: UInt8(ascii: "}"))
        else { return nil }
        self.text = String(text[...end])
    }

    /// Returns whether the prefix is a name, given in lowercase.
    func names(_ name: String) -> Bool {
        text.utf8.count == name.utf8.count + 2
            && zip(text.utf8.dropFirst(), name.utf8).allSatisfy { byte, expected in
                byte == expected || 65...90 ~= byte && byte | 0x20 == expected
            }
    }

    /// Decodes the Base64 behind the prefix of a text.
    func decodeRest(of text: String) throws(PasswordError) -> [UInt8] {
        do throws(Base64.DecodingError) {
            return try Base64.standard.decode(text.dropFirst(self.text.count))
        } catch {
            throw .malformed("the text behind the scheme is not Base64: \(error)")
        }
    }
}
