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
        let prefix = issuer.map { Self.escaped($0) }
        let type: String
        let last: String
        switch kind {
        case .counter(let next): (type, last) = ("hotp", "counter=\(next)")
        case .time(let period): (type, last) = ("totp", "period=\(period.components.seconds)")
        }
        let label = (prefix.map { "\($0):" } ?? "") + Self.escaped(account)
        let start = "otpauth://\(type)/\(label)?secret="
        let end =
            (prefix.map { "&issuer=\($0)" } ?? "")
            + "&algorithm=\(algorithm.uriName)&digits=\(digitCount)&\(last)"
        return (Array(start.utf8), Array(end.utf8))
    }

    /// Escapes all bytes that are not unreserved (RFC 3986 §2.3).
    private static func escaped(_ name: String) -> String {
        var text: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: text.append(byte)
            default: text += "%\(Hex.encode([byte]).uppercased())".utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
