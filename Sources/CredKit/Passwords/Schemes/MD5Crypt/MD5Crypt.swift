// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The algorithm of md5crypt, by its definition in FreeBSD's `crypt-md5.c`: with the magic `$1$` it is that of
/// crypt(3), with `$apr1$` that of Apache's `htpasswd`.
enum MD5Crypt {
    /// The 22 characters of a digest.
    static func digest(
        of password: Span<UInt8>,
        salt: [UInt8],
        magic: String
    ) throws(PasswordError) -> SecretBytes {
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
        // One byte for each bit of the length, as the first implementation happened to do it.
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
        return try unsafe .derived(count: 22) { output in
            unsafe encode(digest, into: output)
            return nil
        }
    }

    /// The order of the bytes, three for four characters, the lowest bits first.
    private static let groups = [(0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5)]

    private static func encode(_ digest: MessageDigest<16>, into output: UnsafeMutableBufferPointer<UInt8>) {
        var position = 0
        func append(_ value: Int, characters: Int) {
            for index in 0..<characters {
                unsafe output[position] = CryptAlphabet.unix.characters[value >> (6 * index) & 63]
                position += 1
            }
        }
        for (high, middle, low) in groups {
            append(Int(digest[high]) << 16 | Int(digest[middle]) << 8 | Int(digest[low]), characters: 4)
        }
        append(Int(digest[11]), characters: 2)
    }
}
