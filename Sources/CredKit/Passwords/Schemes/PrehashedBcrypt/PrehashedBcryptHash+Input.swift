// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PrehashedBcryptHash {
    /// Returns the text that bcrypt hashes in place of the password: at most 64 characters, and no NUL.
    func prehash(of password: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        switch notation {
        case .django: try Self.hex(SHA256.hash(secret: password))
        case .passlib1: try Self.base64(SHA256.hash(secret: password))
        case .passlib2:
            try Self.base64(HMAC<SHA256>.authenticationCode(for: password, using: .init(salt.span)))
        case .wordPress:
            try Self.base64(
                HMAC<SHA384>.authenticationCode(
                    for: password.extracting(Self.trimmedRange(of: password)),
                    using: HMAC<SHA384>.Key("wp-sha384")
                )
            )
        }
    }

    /// Returns the part of a password without the characters that PHP's `trim` removes from both ends.
    static func trimmedRange(of password: Span<UInt8>) -> Range<Int> {
        func isWhiteSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || 0x09...0x0B ~= byte || byte == 0x0D || byte == 0
        }
        guard let first = password.indices.first(where: { !isWhiteSpace(password[$0]) }),
            let last = password.indices.last(where: { !isWhiteSpace(password[$0]) })
        else { return 0..<0 }
        return first..<last + 1
    }

    private static func hex(_ digest: SHA256.Digest) throws(PasswordError) -> SecretBytes {
        try unsafe .derived(count: 2 * digest.count) { buffer in
            digest.withSecretHex { digits in
                for index in digits.indices { unsafe buffer[index] = digits[index] }
            }
            return nil
        }
    }

    private static func base64<let byteCount: Int>(
        _ digest: MessageDigest<byteCount>
    ) throws(PasswordError) -> SecretBytes {
        try unsafe .derived(count: (byteCount + 2) / 3 * 4) { buffer in
            var text = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            digest.withContiguousSpan { Base64.standard.encode($0, into: &text) }
            _ = unsafe text.finalize(for: buffer)
            return nil
        }
    }
}
