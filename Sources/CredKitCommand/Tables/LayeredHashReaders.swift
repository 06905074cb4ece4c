// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Which programs read layered hashes, and which do not.
enum LayeredHashReaders {
    /// The schemes of crypt(3), htpasswd and nginx, one of which PHP's `password_verify` reads, too, and those of LDAP servers
    /// and Dovecot.
    private static let schemesOfOthers: Set<PasswordHash.Scheme> = [
        .desCrypt, .bsdiCrypt, .bigcrypt, .md5Crypt, .apr1, .sunMD5, .sha1Crypt, .sha256Crypt, .sha512Crypt,
        .bcrypt, .bcryptX, .scryptCrypt, .yescrypt, .gostYescrypt, .ntHash, .ldapMD5, .ldapSMD5, .ldapSHA,
        .ldapSSHA, .ldapSHA256, .ldapSSHA256, .ldapSHA384, .ldapSSHA384, .ldapSHA512, .ldapSSHA512, .ldapMD4,
        .netscapeMD5, .springSHA256,
    ]

    /// The notations of hashes behind names in braces.
    private static let notationsOfOthers = Set(PasswordHash.PrefixSystem.allCases.map(\.name) + ["ldap"])

    /// Returns whether programs other than the one that made a table read hashes of a scheme and a notation.
    static func areOfOthers(_ scheme: PasswordHash.Scheme, _ parameters: [PasswordHash.Parameter]) -> Bool {
        schemesOfOthers.contains(scheme)
            || parameters.contains { $0.name == "notation" && notationsOfOthers.contains($0.value) }
    }

    /// What to say of layered hashes, in lines.
    static let messages = [
        "crypt(3), htpasswd, nginx, PHP, Dovecot, LDAP and your application cannot read layered hashes",
        "these can: credkit, credkit-server, verifiers for Python, PHP and Java in interoperability/ or /usr/share/doc/credkit/",
    ]

    /// Returns the error for a table that needs `--allow-incompatible`.
    ///
    /// - Parameters:
    ///   - place: The table and the record.
    ///   - scheme: The scheme of its hash.
    /// - Returns: The error.
    static func failure(_ place: String, _ scheme: PasswordHash.Scheme) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(place) has a hash that other programs read (\(scheme)); \(messages.joined(separator: "; ")); "
                + "if no other program reads this table, add --allow-incompatible; nothing was written"
        )
    }

    /// Says it, before anything is written.
    static func report() {
        for message in messages { StandardStreams.report(message) }
    }
}
