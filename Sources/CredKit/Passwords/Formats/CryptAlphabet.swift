// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The 64 characters of crypt(3) in the order of their values, `./0-9A-Za-z`, and those of bcrypt.
struct CryptAlphabet: Sendable {
    static let unix = CryptAlphabet("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    static let bcrypt = CryptAlphabet("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    let characters: [UInt8]
    /// The value of each byte; 64 for those that are not among the characters.
    private let values: [UInt8]

    private init(_ characters: String) {
        self.characters = Array(characters.utf8)
        var values = [UInt8](repeating: 64, count: 256)
        for (value, character) in characters.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }

    /// Returns the value of a character, 0 to 63. The lookup may depend on it: salts, costs and digests of a table
    /// are public.
    func value(of character: UInt8) -> Int? {
        let value = values[Int(character)]
        return value < 64 ? Int(value) : nil
    }

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

    /// Encodes bytes, the highest bits first.
    func encodeBigEndian(_ bytes: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe .derived(count: (bytes.count * 8 + 5) / 6) { text in
            for index in text.indices {
                let (byte, shift) = (index * 6 / 8, index * 6 % 8)
                let next = byte + 1 < bytes.count ? Int(bytes[byte + 1]) : 0
                unsafe text[index] = characters[(Int(bytes[byte]) << 8 | next) >> (10 - shift) & 63]
            }
            return nil
        }
    }

    /// Decodes a canonical text whose characters have the highest bits first.
    func decodeBigEndian(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for character in text.utf8 {
            bits = (bits << 6 | (value(of: character) ?? 0)) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
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
        var count = 0
        var last = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return false }
            count += 1
            last = value
        }
        let surplus: Int
        switch count % 4 {
        case 0: return true
        case 1: return false
        case 2: surplus = 4
        default: surplus = 2
        }
        return isBigEndian ? last & (1 << surplus - 1) == 0 : last < 64 >> surplus
    }
}
