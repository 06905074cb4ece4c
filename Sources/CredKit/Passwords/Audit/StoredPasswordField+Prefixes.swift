// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Marks of locked accounts in directories, which stand behind the name in braces: an entry that was made of a shadow file has
/// `{CRYPT}!$1$…`, LDAP Account Manager writes `{SSHA}!…`, and smbldap-tools write `{crypt}!x`.
extension StoredPasswordField {
    /// Moves the marks behind a name in braces to before it: `{CRYPT}!$1$…` becomes `!{CRYPT}$1$…`, which has the same hash and
    /// the same marks. Behind `{CLEARTEXT}` and other names of texts that are no hash, they belong to that text.
    ///
    /// - Parameter field: The hash field.
    /// - Returns: The field with its marks first; `nil` if there are none behind a name.
    package static func withMarksFirst(_ field: Span<UInt8>) -> [UInt8]? {
        let start = prefixByteCount(field)
        guard start > 0, start < field.count, LockMarks.areBegun(by: field[start]), isOfHashes(field) else {
            return nil
        }
        var end = start
        while case let count = LockMarks.byteCount(in: field, at: end), count > 0 { end += count }
        return bytes(field, start..<end) + bytes(field, 0..<start) + bytes(field, end..<field.count)
    }

    /// Returns whether a text behind marks is a name in braces with nothing behind it, or with a text in place of a hash.
    static func isPrefixAlone(_ text: Span<UInt8>) -> Bool {
        let start = prefixByteCount(text)
        return start > 0 && isWithoutHash(text, from: start) && isOfHashes(text)
    }

    /// Returns whether a field is `{CRYPT}` with the text of a shadow file or a passwd file that is no hash. No password
    /// matches it. Behind other names, such a text is a damaged hash.
    static func isCryptAlone(_ field: Span<UInt8>) -> Bool {
        let start = prefixByteCount(field)
        return start > 0 && isWithoutHash(field, from: start)
            && String(decoding: bytes(field, 0..<start), as: UTF8.self).lowercased() == "{crypt}"
    }

    private static func isWithoutHash(_ field: Span<UInt8>, from start: Int) -> Bool {
        start == field.count || start + 1 == field.count && field[start] == UInt8(ascii: "x")
            || LockMarks.isInPlaceOfHash(field, from: start)
    }

    /// Returns the length of a name in braces; 0 if the text does not begin with one.
    private static func prefixByteCount(_ text: Span<UInt8>) -> Int {
        guard text.count > 2, text[0] == UInt8(ascii: "{") else { return 0 }
        // The longest known name is shorter.
        for index in 1..<min(text.count, 50) where text[index] == UInt8(ascii: "}") { return index + 1 }
        return 0
    }

    private static func isOfHashes(_ field: Span<UInt8>) -> Bool {
        let text = String(decoding: bytes(field, 0..<field.count), as: UTF8.self)
        guard let entry = PrefixedText(text)?.entry else { return false }
        if case .refused = entry.content { return false }
        return true
    }

    private static func bytes(_ field: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(field[index]) }
        return bytes
    }
}
