// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Digests as hexadecimal digits, as stored in tables.
enum HexDigest {
    /// The numbers of digits that bare digests of tables have.
    static let digitCounts = [32, 40, 64, 96, 128]

    /// Parses lowercase digits, two per byte.
    static func parse(_ text: some StringProtocol, byteCount: Int = 16) throws(PasswordError) -> [UInt8] {
        guard text.utf8.count == 2 * byteCount,
            text.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 }), let bytes = try? Hex.decode(text)
        else { throw .malformed("the digest must be \(2 * byteCount) lowercase hexadecimal digits") }
        return bytes
    }

    /// Returns the error for a bare digest, which names the algorithms that may have made it; `nil` for other texts.
    static func ambiguity(of text: String) -> PasswordError? {
        let count = text.utf8.count
        guard digitCounts.contains(count), (try? Hex.decode(text)) != nil else { return nil }
        var names = PasswordHash.LegacyHexAlgorithm.HashFunction.allCases
            .filter { 2 * $0.digestByteCount == count }.map(\.title)
        if count == 32 { names += ["NTLM", "HMAC-MD5"] }
        let list = names.joined(separator: ", ")
        return .unrecognized("\(count) hexadecimal digits do not name the algorithm that made them: \(list)")
    }
}
