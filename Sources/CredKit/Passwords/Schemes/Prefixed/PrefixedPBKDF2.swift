// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// PBKDF2 behind a name in braces: the values that its text has beside those of every notation.
struct PrefixedPBKDF2: Sendable, Hashable {
    /// The text behind the prefix.
    enum Form: Sendable, Hashable {
        /// `10000$salt$digest` of OpenLDAP's pw-pbkdf2, in passlib's Base64, and of 389 Directory Server, in Base64
        /// with padding.
        case directory(PBKDF2.Function, isPadded: Bool)
        /// `$1$salt$5000$digest`: SHA-1, the salt as plain text, hexadecimal digits.
        case dovecot
        /// The hexadecimal digits of salt and digest. Nothing else is stated.
        case spring(PBKDF2.Function, iterations: Int, saltByteCount: Int)
        /// The Base64 of iterations, in 4 bytes with the highest first, 64 bytes of salt and 256 of digest: SHA-256.
        case directoryServer
    }

    let prefix: String
    /// The encoding of the text behind the prefix, if a suffix of the name states one.
    let encoding: DigestEncoding?
    let form: Form

    var notation: String {
        switch form {
        case .directory(_, let isPadded): isPadded ? "389-ds" : "openldap"
        case .dovecot: "dovecot"
        case .spring: "spring"
        case .directoryServer: "389-ds-binary"
        }
    }

    func digestByteCount(_ function: PBKDF2.Function) -> Int {
        switch form {
        case .directory, .dovecot: function.digestByteCount
        case .spring: 32
        case .directoryServer: 256
        }
    }
}

extension PBKDF2Hash {
    private static let directoryServerSaltByteCount = 64

    init(prefixed text: String) throws(PasswordError) {
        guard let parts = PrefixedText(text), case .pbkdf2(let form) = parts.entry.content else {
            throw .unrecognized
        }
        let rest = try parts.text()
        let notation = PBKDF2Notation.prefixed(
            PrefixedPBKDF2(prefix: parts.prefix, encoding: parts.encoding, form: form)
        )
        switch form {
        case .directory(let function, let isPadded):
            let fields = rest.dollarFields
            guard fields.count == 3 else {
                throw .malformed("it must have three fields: iterations, salt, digest")
            }
            try self.init(
                notation: notation,
                function: function,
                stated: PHCString.integer(fields[0], name: "iterations"),
                salt: isPadded ? HashField.base64(fields[1]) : Self.undotted(fields[1]),
                digest: isPadded ? HashField.base64(fields[2]) : Self.undotted(fields[2])
            )
        case .dovecot:
            let fields = rest.dollarFields
            guard fields.count == 5, fields[0].isEmpty, fields[1] == "1" else {
                throw .malformed("it must have the fields 1, salt, iterations, digest")
            }
            try self.init(
                notation: notation,
                function: .sha1,
                stated: PHCString.integer(fields[3], name: "iterations"),
                salt: Array(fields[2].utf8),
                digest: HexDigest.parse(fields[4], byteCount: PBKDF2.Function.sha1.digestByteCount)
            )
        case .spring(let function, let iterations, let saltByteCount):
            // Spring decodes digits of either case, and writes lowercase ones.
            let bytes = try DigestEncoding.hex.decode(rest)
            try self.init(
                notation: notation,
                function: function,
                stated: UInt32(clamping: iterations),
                salt: Array(bytes.prefix(saltByteCount)),
                digest: Array(bytes.dropFirst(saltByteCount))
            )
        case .directoryServer:
            let bytes = try DigestEncoding.base64.decode(rest)
            guard bytes.count > 4 + Self.directoryServerSaltByteCount else {
                throw .malformed("the length of iterations, salt and digest is invalid")
            }
            try self.init(
                notation: notation,
                function: .sha256,
                stated: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) },
                salt: Array(bytes.dropFirst(4).prefix(Self.directoryServerSaltByteCount)),
                digest: Array(bytes.dropFirst(4 + Self.directoryServerSaltByteCount))
            )
        }
    }

    func prefixedText(_ prefixed: PrefixedPBKDF2) -> String {
        let text: String
        switch prefixed.form {
        case .directory(_, isPadded: true):
            text = "\(iterations)$\(Base64.standard.encode(salt))$\(Base64.standard.encode(digest))"
        case .directory(_, isPadded: false):
            text = "\(iterations)$\(Self.dotted(salt))$\(Self.dotted(digest))"
        case .dovecot:
            text = "$1$\(String(decoding: salt, as: UTF8.self))$\(iterations)$\(Hex.encode(digest))"
        case .spring:
            text = Hex.encode(salt + digest)
        case .directoryServer:
            let count = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: iterations >> $0) }
            text = Base64.standard.encode(count + salt + digest)
        }
        return PrefixedText.join(prefixed.prefix, text, prefixed.encoding)
    }
}
