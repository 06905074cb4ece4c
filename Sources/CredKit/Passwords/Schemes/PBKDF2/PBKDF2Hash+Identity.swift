// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// ASP.NET Identity writes Base64 without a name.
extension PBKDF2Hash {
    /// The lengths of the parts behind the header of version 3, and of the texts that they make. Identity itself writes
    /// 16 bytes of salt and 32 of digest; its tests have the others.
    private static let saltByteCounts = [16, 32]
    private static let textCounts = [60, 84, 104, 124, 148]
    private static let headerByteCount = 13

    /// Returns the version of ASP.NET Identity whose hash a text claims to be; `nil` if it is none.
    ///
    /// Nothing else that is stored in tables looks like them. Version 2 is Base64 of 49 bytes, which is no length of a
    /// digest with a usual salt, and the first is 0. The first five bytes of version 3 are fixed but for two bits.
    static func identityVersion(of text: String) -> Int? {
        let bytes = text.utf8
        if bytes.count == 68, text.hasSuffix("=="), text.hasPrefix("A") {
            return bytes.dropFirst().first.map { 65...80 ~= $0 } == true ? 2 : nil
        }
        return text.hasPrefix("AQAAAA") && textCounts.contains(bytes.count) ? 3 : nil
    }

    /// Parses Base64 of either
    /// - a byte of 0, 16 bytes of salt, 32 of digest: SHA-1 with 1,000 iterations (Identity 2, and `Crypto` of
    ///   ASP.NET Web Pages), or
    /// - a byte of 1; the hash function (0: SHA-1, 1: SHA-256, 2: SHA-512), the iterations and the length of the salt,
    ///   each in 4 bytes, the highest first; the salt; the digest (Identity 3).
    init(identity text: String) throws(PasswordError) {
        let bytes = try HashField.base64(text[...])
        guard bytes.first != 0 else {
            try self.init(
                notation: .identity2,
                function: .sha1,
                stated: 1000,
                salt: Array(bytes.dropFirst().prefix(16)),
                digest: Array(bytes.dropFirst(17))
            )
            return
        }
        guard bytes.count > Self.headerByteCount, bytes[0] == 1 else {
            throw .malformed("the header of ASP.NET Identity is invalid")
        }
        /// Returns the number in 4 bytes.
        func number(at offset: Int) -> UInt32 {
            bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let functions: [Function] = [.sha1, .sha256, .sha512]
        let (function, saltCount) = (number(at: 1), Int(number(at: 9)))
        guard function < functions.count, Self.saltByteCounts.contains(saltCount) else {
            throw .malformed("the hash function or the length of the salt of ASP.NET Identity is invalid")
        }
        let rest = bytes.dropFirst(Self.headerByteCount)
        try self.init(
            notation: .identity3,
            function: functions[Int(function)],
            stated: number(at: 5),
            salt: Array(rest.prefix(saltCount)),
            digest: Array(rest.dropFirst(saltCount))
        )
    }

    var identityText: String {
        var header: [UInt8] = [0]
        if notation == .identity3 {
            let code: UInt32 =
                switch function {
                case .sha1: 0
                case .sha256: 1
                case .sha512: 2
                }
            header = [1]
            for value in [code, UInt32(clamping: iterations), UInt32(clamping: salt.count)] {
                header += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
            }
        }
        return Base64.standard.encode(header + salt + digest)
    }
}
