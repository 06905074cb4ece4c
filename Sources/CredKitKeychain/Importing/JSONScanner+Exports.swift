// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What the readers of password managers have in common.
extension JSONScanner {
    /// Returns which of some names comes first among the members of a document, which is an object; `nil` if none does.
    static func firstMember(of names: [String], in bytes: Span<UInt8>) -> String? {
        var scanner = JSONScanner()
        var found: String?
        // The first of the names ends the search.
        try? scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
            guard !names.contains(name) else {
                found = name
                throw scanner.malformed
            }
            try scanner.skipValue(in: bytes)
        }
        return found
    }

    /// Parses a text; returns `nil` if it is empty: programs write missing texts as `null` or as empty ones.
    mutating func filledText(in bytes: Span<UInt8>) throws(KeychainError) -> SecretBytes? {
        let text = try secretText(in: bytes)
        return text.isEmpty ? nil : text
    }

    /// Consumes a value, and returns whether it is more than false, zero or empty.
    mutating func isSet(in bytes: Span<UInt8>) throws(KeychainError) -> Bool {
        _ = peek(in: bytes)
        let start = position
        try skipValue(in: bytes)
        let first = bytes[start]
        return position - start > 2 && first != UInt8(ascii: "f") && first != UInt8(ascii: "n")
            || 0x31...0x39 ~= first || first == UInt8(ascii: "-")
    }
}
