// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension OneTimeCodeKey {
    /// Creates a key with a new random seed, which has as many bytes as a digest of the algorithm (RFC 6238 §3).
    ///
    /// - Parameters:
    ///   - kind: What the codes are computed from.
    ///   - algorithm: The hash function. Many authenticator apps ignore any other than the default.
    ///   - digitCount: The number of digits, from 6 to 8.
    ///   - issuer: The name of the server, which authenticator apps show.
    ///   - account: The user's name at the server, which authenticator apps show.
    /// - Returns: The key.
    /// - Throws: ``OneTimeCodeError/invalidParameters``, ``OneTimeCodeError/overLimit``, ``OneTimeCodeError/outOfMemory``.
    public static func generate(
        kind: Kind = .time(period: .seconds(30)),
        algorithm: Algorithm = .sha1,
        digitCount: Int = 6,
        issuer: String?,
        account: String
    ) throws(OneTimeCodeError) -> OneTimeCodeKey {
        try OneTimeCodeKey(
            seed: .forCodes { () throws(SecretMemoryError) in
                try SecretBytes(randomByteCount: algorithm.digestByteCount)
            },
            kind: kind,
            algorithm: algorithm,
            digitCount: digitCount,
            issuer: issuer,
            account: account
        )
    }

    /// Creates a key from a seed in Base32, as servers show it to people who cannot scan a QR code.
    ///
    /// - Parameters:
    ///   - base32: The seed as authenticator apps read it: case, spaces, tabs, line ends, dashes and padding are ignored,
    ///     and so are the bits of the last character that belong to no byte. A seed that ends with 1, 3 or 6 characters
    ///     of a group of 8 is malformed.
    ///   - kind: What the codes are computed from.
    ///   - algorithm: The hash function.
    ///   - digitCount: The number of digits, from 6 to 8.
    ///   - issuer: The name of the server.
    ///   - account: The user's name at the server.
    /// - Throws: ``OneTimeCodeError/malformedSeed``, ``OneTimeCodeError/invalidParameters``,
    ///   ``OneTimeCodeError/overLimit``, ``OneTimeCodeError/outOfMemory``.
    public init(
        base32: some SecretInput,
        kind: Kind = .time(period: .seconds(30)),
        algorithm: Algorithm = .sha1,
        digitCount: Int = 6,
        issuer: String? = nil,
        account: String = ""
    ) throws(OneTimeCodeError) {
        let seed = try base32.withSecretBytes { (text) throws(OneTimeCodeError) in
            try Self.seed(base32: text)
        }
        try self.init(
            seed: seed,
            kind: kind,
            algorithm: algorithm,
            digitCount: digitCount,
            issuer: issuer,
            account: account
        )
    }

    /// Returns the seed in Base32 without padding, as people type it into an authenticator app.
    ///
    /// - Returns: The text, as ASCII.
    /// - Throws: ``OneTimeCodeError/outOfMemory``.
    public func base32Seed() throws(OneTimeCodeError) -> SecretBytes {
        let form = Base32.standard.unpadded
        return try seed.withSecretBytes { (seed) throws(OneTimeCodeError) in
            try .forCodes { () throws(SecretMemoryError) in
                try SecretBytes(capacity: form.encodedByteCount(of: seed.count)) {
                    form.encode(seed, into: &$0)
                }
            }
        }
    }

    static func seed(base32 text: Span<UInt8>) throws(OneTimeCodeError) -> SecretBytes {
        guard text.count <= OneTimeCodeURI.maximumByteCount else {
            throw .overLimit(
                "the seed has \(text.count) characters; at most \(OneTimeCodeURI.maximumByteCount) are accepted"
            )
        }
        var failure: Base32.DecodingError?
        let seed: SecretBytes = try .forCodes { () throws(SecretMemoryError) in
            try SecretBytes(capacity: Base32.standard.maximumDecodedByteCount(of: text.count)) { output in
                do throws(Base32.DecodingError) {
                    try Base32.standard.decodeSeed(text, into: &output)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw .malformedSeed("\(failure)") }
        return seed
    }
}

extension SecretBytes {
    /// Converts the error of missing memory.
    static func forCodes(
        _ make: () throws(SecretMemoryError) -> SecretBytes
    ) throws(OneTimeCodeError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try make()
        } catch {
            throw OneTimeCodeError(.outOfMemory, message: "\(error)")
        }
    }
}
