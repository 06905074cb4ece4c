// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension DigestAlgorithm {
    /// Returns the digest of a password and a salt, as tables of the 2000s have it. Each round after the first hashes
    /// the lowercase hexadecimal digits of the round before, without the salt.
    static func saltedHash<let size: Int>(
        of password: Span<UInt8>,
        salt: [UInt8],
        isPrefix: Bool = false,
        rounds: Int = 1
    ) -> Digest where Digest == MessageDigest<size> {
        var function = Self()
        if isPrefix { function.update(salt.span) }
        function.update(password)
        if !isPrefix { function.update(salt.span) }
        var digest = function.finalizeAndWipe()
        for _ in stride(from: 1, to: rounds, by: 1) {
            digest = digest.withSecretHex { hash(secret: $0) }
        }
        return digest
    }
}
