// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The 64 characters of crypt(3) in the order of their values, `./0-9A-Za-z`, and those of bcrypt.
struct CryptAlphabet: Sendable {
    static let unix = CryptAlphabet("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    static let bcrypt = CryptAlphabet("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    let characters: [UInt8]

    private init(_ characters: String) { self.characters = Array(characters.utf8) }

    /// Returns the value of a character, 0 to 63. The lookup may depend on it: salts, costs and digests of a table
    /// are public.
    func value(of character: UInt8) -> Int? { characters.firstIndex(of: character) }

    /// Encodes bytes, the lowest bits first.
    func encode(_ bytes: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe .derived(count: (bytes.count * 8 + 5) / 6) { text in
            for index in text.indices {
                let (byte, shift) = (index * 6 / 8, index * 6 % 8)
                let next = byte + 1 < bytes.count ? Int(bytes[byte + 1]) : 0
                unsafe text[index] = characters[(Int(bytes[byte]) | next << 8) >> shift & 63]
            }
            return nil
        }
    }

    func contains(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy { value(of: $0) != nil } }

    /// Returns whether a text is the canonical encoding of some bytes: of these characters only, and with no bit set
    /// in the last one that belongs to no byte.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isBigEndian: Whether the first character of a group has the highest bits, as with DES and bcrypt. All
    ///     others begin with the lowest bits.
    /// - Returns: Whether it is canonical.
    func isCanonical(_ text: some StringProtocol, isBigEndian: Bool = false) -> Bool {
        guard contains(text) else { return false }
        let surplus: Int
        switch text.utf8.count % 4 {
        case 0: return true
        case 1: return false
        case 2: surplus = 4
        default: surplus = 2
        }
        guard let last = Array(text.utf8).last, let value = value(of: last) else { return false }
        return isBigEndian ? value & (1 << surplus - 1) == 0 : value < 64 >> surplus
    }
}
