// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The md5crypt algorithm, as FreeBSD's `crypt-md5.c` defines it: with the magic `$1$` for crypt(3), with `$apr1$`
/// for Apache's `htpasswd`.
enum MD5Crypt {
    /// Computes the 22 characters of a digest.
    static func digest(
        of password: Span<UInt8>,
        salt: [UInt8],
        magic: String
    ) throws(PasswordError) -> SecretBytes {
        let digest = rawDigest(of: password, salt: salt, magic: magic)
        // The byte order that the first implementation wrote.
        let shuffled = try SecretBytes.copying(
            [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11].map { digest[$0] }
        )
        return try shuffled.withSecretBytes { (bytes) throws(PasswordError) in
            try CryptAlphabet.unix.encode(bytes)
        }
    }

    /// Computes the 16 bytes of a digest, in the order in which MD5 has them.
    static func rawDigest(of password: Span<UInt8>, salt: [UInt8], magic: String) -> MessageDigest<16> {
        BackendCalls.note()
        var alternate = Legacy.MD5()
        alternate.update(password)
        alternate.update(salt.span)
        alternate.update(password)
        let mixed = alternate.finalizeAndWipe()

        var function = Legacy.MD5()
        function.update(password)
        function.update(data: magic.utf8)
        function.update(salt.span)
        for start in stride(from: 0, to: password.count, by: 16) {
            function.update(data: mixed.prefix(min(16, password.count - start)))
        }
        // One byte per bit of the length: a peculiarity of the first implementation that became part of the format.
        var length = password.count
        while length > 0 {
            if length & 1 != 0 {
                function.update(data: CollectionOfOne(UInt8(0)))
            } else {
                function.update(password.extracting(first: 1))
            }
            length >>= 1
        }
        var digest = function.finalizeAndWipe()

        for round in 0..<1000 {
            var function = Legacy.MD5()
            if round & 1 != 0 { function.update(password) } else { function.update(data: digest) }
            if !round.isMultiple(of: 3) { function.update(salt.span) }
            if !round.isMultiple(of: 7) { function.update(password) }
            if round & 1 != 0 { function.update(data: digest) } else { function.update(password) }
            digest = function.finalizeAndWipe()
        }
        return digest
    }
}
