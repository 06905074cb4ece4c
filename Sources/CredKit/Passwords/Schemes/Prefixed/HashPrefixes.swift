// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The table of all names in braces that systems write before stored hashes.
///
/// Sources: Dovecot's `password-scheme.c` and `doveadm pw -l`; OpenLDAP's `passwd.c` and contrib/slapd-modules/passwd;
/// 389 Directory Server's plugins pwdstorage and pwdchan; Spring Security's `PasswordEncoderFactories`.
enum HashPrefixes {
    /// The entries of each name in lowercase, in the order in which they are asked for their form.
    static let byName = Dictionary(grouping: all, by: { $0.name.lowercased() })

    static let all: [HashPrefix] = digests + crypts + derivations + unread

    /// Returns the entry for new hashes of a scheme that all of these systems read; `nil` if there is none. The name of one system
    /// comes before a name of several.
    static func entry(
        for scheme: PasswordHash.Scheme,
        readBy systems: [PasswordHash.PrefixSystem]
    ) -> HashPrefix? {
        all.filter { entry in
            entry.writes.contains(scheme) && systems.allSatisfy { entry.systems.contains($0) }
        }.min { $0.systems.count < $1.systems.count }
    }

    /// Returns the error for a text with a prefix that cannot be read; `nil` for other texts.
    static func refusal(of text: String) -> PasswordError? {
        // 389 Directory Server writes the algorithm and its parameters into the name.
        guard !text.hasPrefix("{AES-") else { return .unsupported(encryption) }
        guard let name = PrefixedText.divide(text)?.name else { return nil }
        guard let parts = PrefixedText(text) else { return .unrecognized("the prefix {\(name)} is unknown") }
        guard case .refused(let reason) = parts.entry.content else { return nil }
        return .unsupported(reason)
    }

    private static let encryption =
        "the password is encrypted, not hashed; decrypt and hash it, and replace it everywhere"

    private static let ldap: [PasswordHash.PrefixSystem] = [.openLDAP, .directoryServer, .dovecot]

    // MARK: Digests

    private static func digest(
        _ name: String,
        _ systems: [PasswordHash.PrefixSystem],
        _ function: PrefixedDigestFunction,
        _ layout: DigestLayout = .plain,
        _ encoding: DigestEncoding = .base64,
        _ form: HashPrefix.Form = .any
    ) -> HashPrefix {
        HashPrefix(name: name, systems: systems, content: .digest(function, layout, encoding), form: form)
    }

    /// Spring's digest of the password and a salt in braces, or of the password alone.
    private static func spring(_ name: String, _ function: PrefixedDigestFunction) -> [HashPrefix] {
        [
            digest(name, [.springSecurity], function, .bracedSalt, .hex, .beginning("{")),
            digest(name, [.springSecurity], function, .plain, .hex, .hex(2 * function.digestByteCount)),
        ]
    }

    private static let digests: [HashPrefix] = [
        commonDigests, spring("SHA-1", .fast(.sha1)), spring("SHA-256", .fast(.sha256)), spring("MD4", .md4),
    ].flatMap { (entries: [HashPrefix]) in entries }

    private static let commonDigests: [HashPrefix] = [
        HashPrefix(
            name: "MD5",
            systems: [.dovecot],
            content: .crypt([.md5Crypt]),
            form: .beginning("$1$")
        ),
        digest("MD5", [.springSecurity], .fast(.md5), .bracedSalt, .hex, .beginning("{")),
        digest("MD5", [.dovecot, .springSecurity], .fast(.md5), .plain, .hex, .hex(32)),
        digest("MD5", ldap, .fast(.md5)),
        digest("PLAIN-MD5", [.dovecot], .fast(.md5), .plain, .hex, .hex(32)),
        digest("PLAIN-MD5", [.dovecot], .fast(.md5)),
        digest("LDAP-MD5", [.dovecot], .fast(.md5), .plain, .hex, .hex(32)),
        digest("LDAP-MD5", [.dovecot], .fast(.md5)),
        digest("SMD5", ldap, .fast(.md5), .saltLast),
        digest("SHA", [.dovecot], .fast(.sha1), .plain, .hex, .hex(40)),
        digest("SHA", ldap, .fast(.sha1)),
        digest("SHA1", [.dovecot], .fast(.sha1), .plain, .hex, .hex(40)),
        digest("SHA1", [.dovecot], .fast(.sha1)),
        digest("SSHA", ldap, .fast(.sha1), .saltLast),
        HashPrefix(name: "SHA256", systems: [.joomla], content: .joomla, form: .hexAndSalt(64)),
        digest("SHA256", [.springSecurity], .springSHA256, .saltFirst(8), .hex, .hex(80)),
        digest("SHA256", [.dovecot], .fast(.sha256), .plain, .hex, .hex(64)),
        digest("SHA256", ldap, .fast(.sha256)),
        digest("SSHA256", ldap, .fast(.sha256), .saltLast),
        digest("SHA384", [.openLDAP, .directoryServer], .fast(.sha384)),
        digest("SSHA384", [.openLDAP, .directoryServer], .fast(.sha384), .saltLast),
        digest("SHA512", [.dovecot], .fast(.sha512), .plain, .hex, .hex(128)),
        digest("SHA512", ldap, .fast(.sha512)),
        digest("SSHA512", ldap, .fast(.sha512), .saltLast),
        digest("PLAIN-MD4", [.dovecot], .md4, .plain, .hex, .hex(32)),
        digest("PLAIN-MD4", [.dovecot], .md4),
        digest("NTLM", [.dovecot], .ntlm, .plain, .hex, .hex(32)),
        digest("NTLM", [.dovecot], .ntlm),
        digest("NS-MTA-MD5", [.openLDAP, .directoryServer], .netscapeMD5, .textSalt(32), .hex),
        digest("APR1", [.openLDAP], .md5Crypt(isApache: true), .saltLast),
        digest("BSDMD5", [.openLDAP], .md5Crypt(isApache: false), .saltLast),
    ]

    // MARK: Hashes of crypt(3), and Argon2

    private static let crypts: [HashPrefix] = [
        HashPrefix(
            name: "CRYPT",
            systems: ldap,
            content: .crypt([]),
            writes: [.yescrypt, .sha512Crypt, .sha256Crypt, .bcrypt]
        ),
        // Dovecot gives all of them except MD5-CRYPT to crypt(3), and does not compare the name with the text.
        HashPrefix(name: "MD5-CRYPT", systems: [.dovecot], content: .crypt([.md5Crypt])),
        HashPrefix(name: "DES-CRYPT", systems: [.dovecot], content: .crypt([])),
        HashPrefix(name: "BLF-CRYPT", systems: [.dovecot], content: .crypt([]), writes: [.bcrypt]),
        HashPrefix(name: "SHA256-CRYPT", systems: [.dovecot], content: .crypt([]), writes: [.sha256Crypt]),
        HashPrefix(name: "SHA512-CRYPT", systems: [.dovecot], content: .crypt([]), writes: [.sha512Crypt]),
        HashPrefix(name: "CRYPT-MD5", systems: [.directoryServer], content: .crypt([])),
        HashPrefix(
            name: "CRYPT-SHA256",
            systems: [.directoryServer],
            content: .crypt([]),
            writes: [.sha256Crypt]
        ),
        HashPrefix(
            name: "CRYPT-SHA512",
            systems: [.directoryServer],
            content: .crypt([]),
            writes: [.sha512Crypt]
        ),
        HashPrefix(name: "GOST_YESCRYPT", systems: [.directoryServer], content: .crypt([])),
        HashPrefix(
            name: "bcrypt",
            systems: [.springSecurity],
            content: .crypt([.bcrypt]),
            writes: [.bcrypt]
        ),
        HashPrefix(name: "ARGON2I", systems: [.dovecot], content: .argon2, writes: [.argon2i]),
        HashPrefix(name: "ARGON2ID", systems: [.dovecot], content: .argon2, writes: [.argon2id]),
        // Dovecot reads it since 2.4. New hashes for Dovecot get ARGON2ID, which older versions read as well.
        HashPrefix(
            name: "ARGON2",
            systems: [.openLDAP, .springSecurity, .dovecot],
            content: .argon2,
            writes: [.argon2id, .argon2i]
        ),
        HashPrefix(
            name: "argon2@SpringSecurity_v5_8",
            systems: [.springSecurity],
            content: .argon2,
            writes: [.argon2id]
        ),
        HashPrefix(name: "SCRAM-SHA-1", systems: [.dovecot], content: .scram),
        HashPrefix(name: "SCRAM-SHA-256", systems: [.dovecot], content: .scram, writes: [.scramSHA256]),
    ]

    // MARK: PBKDF2 and scrypt

    private static func pbkdf2(
        _ name: String,
        _ function: PBKDF2.Function,
        isWritten: Bool = true
    ) -> [HashPrefix] {
        let scheme: PasswordHash.Scheme =
            switch function {
            case .sha1: .pbkdf2SHA1
            case .sha256: .pbkdf2SHA256
            case .sha512: .pbkdf2SHA512
            }
        return [
            HashPrefix(
                name: name,
                systems: [.directoryServer],
                content: .pbkdf2(.directory(function, isPadded: true)),
                form: .padded,
                writes: isWritten ? [scheme] : []
            ),
            HashPrefix(
                name: name,
                systems: [.openLDAP, .directoryServer],
                content: .pbkdf2(.directory(function, isPadded: false)),
                writes: isWritten ? [scheme] : []
            ),
        ]
    }

    private static let singleDerivations: [HashPrefix] = [
        HashPrefix(
            name: "PBKDF2",
            systems: [.dovecot],
            content: .pbkdf2(.dovecot),
            form: .beginning("$")
        ),
        HashPrefix(
            name: "pbkdf2",
            systems: [.springSecurity],
            content: .pbkdf2(.spring(.sha1, iterations: 185_000, saltByteCount: 8)),
            form: .hex(80)
        ),
        HashPrefix(
            name: "pbkdf2@SpringSecurity_v5_8",
            systems: [.springSecurity],
            content: .pbkdf2(.spring(.sha256, iterations: 310_000, saltByteCount: 16))
        ),
        HashPrefix(
            name: "PBKDF2_SHA256",
            systems: [.directoryServer],
            content: .pbkdf2(.directoryServer)
        ),
        // The first one is the name of new hashes.
        HashPrefix(
            name: "scrypt@SpringSecurity_v5_8",
            systems: [.springSecurity],
            content: .scrypt,
            writes: [.scrypt]
        ),
        HashPrefix(name: "scrypt", systems: [.springSecurity], content: .scrypt, writes: [.scrypt]),
        HashPrefix(name: "PKCS5S2", systems: [.atlassian], content: .atlassian),
    ]

    // `{PBKDF2}` comes last: new hashes have the name with the function.
    private static let derivations: [HashPrefix] = [
        singleDerivations, pbkdf2("PBKDF2-SHA1", .sha1), pbkdf2("PBKDF2-SHA256", .sha256),
        pbkdf2("PBKDF2-SHA512", .sha512), pbkdf2("PBKDF2", .sha1, isWritten: false),
    ].flatMap { (entries: [HashPrefix]) in entries }

    // MARK: What is not read

    private static func refused(
        _ names: [String],
        _ systems: [PasswordHash.PrefixSystem],
        _ reason: String
    ) -> [HashPrefix] {
        names.map { HashPrefix(name: $0, systems: systems, content: .refused(reason)) }
    }

    private static let unread: [HashPrefix] = [
        refused(
            ["PLAIN", "CLEAR", "CLEARTEXT", "PLAIN-TRUNC"],
            [.dovecot, .openLDAP, .directoryServer],
            "the password itself is stored; hash it, and replace it everywhere"
        ),
        refused(
            ["noop"],
            [.springSecurity],
            "the password itself is stored; hash it, and replace it everywhere"
        ),
        refused(
            ["ldap"],
            [.springSecurity],
            "behind {ldap}, all but {SSHA} and {SHA} is the password itself; hash it, and replace it everywhere"
        ),
        refused(
            ["CRAM-MD5", "HMAC-MD5"],
            [.dovecot],
            "it logs in by CRAM-MD5 without the password; make a new hash at a login that shows the password"
        ),
        refused(
            ["DIGEST-MD5"],
            [.dovecot],
            "it contains the user name and the realm, and logs in by DIGEST-MD5 without the password"
        ),
        refused(["RPA"], [.dovecot], "it logs in by RPA without the password"),
        refused(
            ["OTP", "SKEY"],
            [.dovecot],
            "it is the state of one-time passwords (RFC 2289), not the hash of a password"
        ),
        refused(
            ["LANMAN"],
            [.dovecot],
            "Windows's LM hashes are not read: they ignore the case of a password, and cut it into halves"
        ),
        refused(
            ["TOTP1", "TOTP256", "TOTP512", "TOTP1ANDPW", "TOTP256ANDPW", "TOTP512ANDPW"],
            [.openLDAP],
            "it is the seed of one-time codes, not the hash of a password"
        ),
        refused(
            ["SASL", "KERBEROS", "RADIUS", "UNIX"],
            [.openLDAP],
            "another service verifies the password; the table has no hash of it"
        ),
        refused(
            ["DES", "AES"],
            [.directoryServer],
            encryption
        ),
    ].flatMap { (entries: [HashPrefix]) in entries }
}
