// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension OneTimeCodeKey {
    /// Returns the key as an `otpauth://` URI, for a QR code, an authenticator app or a table of users.
    ///
    /// It contains the seed: show it once, over an encrypted connection, and store it encrypted. All fields are written,
    /// those with default values as well, and ``init(uri:)`` reads an equal key from it.
    ///
    /// - Returns: The URI, as ASCII.
    /// - Throws: ``OneTimeCodeError/outOfMemory``.
    public func uri() throws(OneTimeCodeError) -> SecretBytes {
        let (start, end) = publicParts
        let form = Base32.standard.unpadded
        return try seed.withSecretBytes { (seed) throws(OneTimeCodeError) in
            try .forCodes { () throws(SecretMemoryError) in
                let count = start.count + form.encodedByteCount(of: seed.count) + end.count
                return try SecretBytes(capacity: count) { output in
                    for byte in start { output.append(byte) }
                    form.encode(seed, into: &output)
                    for byte in end { output.append(byte) }
                }
            }
        }
    }

    /// What stands before and behind the seed.
    private var publicParts: (start: [UInt8], end: [UInt8]) {
        let prefix = issuer.map { PercentCoding.component.encode($0.utf8) }
        let type: String
        let last: String
        switch kind {
        case .counter(let next): (type, last) = ("hotp", "counter=\(next)")
        case .time(let period): (type, last) = ("totp", "period=\(period.components.seconds)")
        }
        let label = (prefix.map { "\($0):" } ?? "") + PercentCoding.component.encode(account.utf8)
        let start = "otpauth://\(type)/\(label)?secret="
        let end =
            (prefix.map { "&issuer=\($0)" } ?? "")
            + "&algorithm=\(algorithm.uriName)&digits=\(digitCount)&\(last)"
        return (Array(start.utf8), Array(end.utf8))
    }
}
