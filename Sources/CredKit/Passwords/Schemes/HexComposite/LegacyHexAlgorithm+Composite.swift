// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.LegacyHexAlgorithm {
    /// A digest of digests, as old forums and shops compute it. Inner digests are hashed as their lowercase hexadecimal digits.
    ///
    /// All of them are fast: replace the hashes with ``PasswordHash/Scheme/argon2id``, or layer it over them with
    /// ``PasswordContext/layer(over:)-(String)``.
    ///
    /// Sources: the applications, and the modes of [hashcat](https://hashcat.net/wiki/doku.php?id=example_hashes).
    public enum Composite: String, Sendable, CaseIterable {
        /// vBulletin before 5: MD5 of the digits of the password's MD5 and the salt (hashcat 2611 and 2711).
        case vBulletin = "vbulletin"
        /// MyBB before 1.9: MD5 of the digits of the salt's MD5 and those of the password's (hashcat 2811).
        case myBB = "mybb"
        /// IP.Board before 4: as MyBB, of the password that is escaped for HTML by the table of IPS 4's `legacyEscape`. For
        /// passwords without any of `& < > " ' ! $ \` it is the same (hashcat 2811).
        case ipBoard = "ipb"
        /// Simple Machines Forum 1.1 and 2.0: SHA-1 of the user's name and the password (hashcat 121). The salt is the
        /// name, whose letters `A` to `Z` are changed to lowercase, as PHP's `strtolower` does.
        case smf
        /// WoltLab Burning Board 3: SHA-1 of salt and digits, three times (hashcat 8400).
        case woltLab = "wbb3"
        /// OpenCart 1.5 to 3: as WoltLab, of the password that PHP's `htmlspecialchars` escapes with `ENT_COMPAT`. For
        /// passwords without any of `& < > "` it is the same (hashcat 13900).
        case openCart = "opencart"
        /// PunBB 1.3 and 1.4, Redmine: SHA-1 of the salt and the digits of the password's SHA-1 (hashcat 4521 and 4522). FluxBB
        /// has such hashes only in rows that came with a salt: with an empty one its digest is ``HashFunction/sha1`` of the
        /// password.
        case punBB = "punbb"

        /// The function that makes the digest.
        package var function: HashFunction {
            switch self {
            case .vBulletin, .myBB, .ipBoard: .md5
            case .smf, .woltLab, .openCart, .punBB: .sha1
            }
        }
    }
}

extension PasswordHash.LegacyHexAlgorithm.Composite {
    /// The scheme of the hashes.
    var scheme: PasswordHash.Scheme {
        switch self {
        case .vBulletin: .hexVBulletin
        case .myBB: .hexMyBB
        case .ipBoard: .hexIPBoard
        case .smf: .hexSMF
        case .woltLab: .hexWoltLab
        case .openCart: .hexOpenCart
        case .punBB: .hexPunBB
        }
    }

    /// The applications that compute it.
    var systems: [String] {
        switch self {
        case .vBulletin: ["vBulletin"]
        case .myBB: ["MyBB"]
        case .ipBoard: ["IP.Board"]
        case .smf: ["SMF"]
        case .woltLab: ["WoltLab Burning Board"]
        case .openCart: ["OpenCart"]
        case .punBB: ["PunBB", "FluxBB", "Redmine"]
        }
    }

    /// The digests of one computation.
    var roundCount: Int {
        switch self {
        case .smf: 1
        case .vBulletin, .punBB: 2
        case .myBB, .ipBoard, .woltLab, .openCart: 3
        }
    }

    /// How a password is escaped before it is hashed.
    private var escaping: HTMLEscaping? {
        switch self {
        case .ipBoard: .ipBoard
        case .openCart: .openCart
        case .vBulletin, .myBB, .smf, .woltLab, .punBB: nil
        }
    }

    /// Returns the salt as it is hashed.
    func normalized(_ salt: [UInt8]) -> [UInt8] {
        guard self == .smf else { return salt }
        return salt.map { 65...90 ~= $0 ? $0 | 0x20 : $0 }
    }

    /// Computes the digest of a password and a normalized salt.
    func digest(of password: Span<UInt8>, salt: [UInt8]) throws(PasswordError) -> SecretBytes {
        guard let escaping else { return try digest(ofEscaped: password, salt: salt) }
        return try escaping.apply(to: password).withSecretBytes { (escaped) throws(PasswordError) in
            try digest(ofEscaped: escaped, salt: salt)
        }
    }

    private func digest(ofEscaped password: Span<UInt8>, salt: [UInt8]) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        switch self {
        case .vBulletin:
            let digest = Legacy.MD5.hash(secret: password).withSecretHex { digits in
                Legacy.MD5.hash(secret: digits, followedBy: salt.span)
            }
            return try .copying(digest)
        case .myBB, .ipBoard:
            let saltDigits = Array(Legacy.MD5.hash(data: salt).hex.utf8)
            let digest = Legacy.MD5.hash(secret: password).withSecretHex { digits in
                Legacy.MD5.hash(secret: saltDigits.span, followedBy: digits)
            }
            return try .copying(digest)
        case .smf:
            return try .copying(Legacy.SHA1.hash(secret: salt.span, followedBy: password))
        case .woltLab, .openCart:
            let inner = Legacy.SHA1.hash(secret: password).withSecretHex { digits in
                Legacy.SHA1.hash(secret: salt.span, followedBy: digits)
            }
            let digest = inner.withSecretHex { digits in
                Legacy.SHA1.hash(secret: salt.span, followedBy: digits)
            }
            return try .copying(digest)
        case .punBB:
            let digest = Legacy.SHA1.hash(secret: password).withSecretHex { digits in
                Legacy.SHA1.hash(secret: salt.span, followedBy: digits)
            }
            return try .copying(digest)
        }
    }
}

extension DigestAlgorithm {
    /// Returns the digest of two texts, one of which is secret, and wipes them from the function's state.
    static func hash(secret first: Span<UInt8>, followedBy second: Span<UInt8>) -> Digest {
        var function = Self()
        function.update(first)
        function.update(second)
        return function.finalizeAndWipe()
    }
}
