// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// MD5 digests as hexadecimal digits, as stored in tables.
enum HexDigest {
    /// A digest of zeros.
    static let zeros = [UInt8](repeating: 0, count: 16)

    /// Parses 32 lowercase digits.
    static func parse(_ text: some StringProtocol) throws(PasswordError) -> [UInt8] {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 }),
            let bytes = try? Hex.decode(text)
        else { throw .malformed("the digest must be 32 lowercase hexadecimal digits") }
        return bytes
    }
}
