// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// Which programs read the layered hashes of a table, and which do not.
struct LayeredHashReaders {
    /// The verifiers of `interoperability/`.
    private enum Verifier: String, CaseIterable {
        case python = "Python"
        case php = "PHP"
        case java = "Java"

        /// Returns whether it reads hashes that are layered over those of a scheme and a notation. `script/test-verifiers`
        /// compares this with what each does.
        func reads(_ scheme: PasswordHash.Scheme, notation: String?) -> Bool {
            switch scheme {
            case .hexMD5, .hexSHA1, .hexSHA256, .hexSHA384, .hexSHA512, .hexHMACMD5, .mysql41, .djangoMD5,
                .djangoSHA1,
                .ldapMD5, .ldapSMD5, .ldapSHA, .ldapSSHA, .ldapSHA256, .ldapSSHA256, .ldapSHA384,
                .ldapSSHA384,
                .ldapSHA512, .ldapSSHA512:
                notation == nil
            case .desCrypt, .md5Crypt, .sha256Crypt, .sha512Crypt: notation == nil || notation == "ldap"
            case .apr1: self == .java && notation == nil
            case .phpass: self != .java
            case .pbkdf2SHA1, .pbkdf2SHA256: self != .java && notation == "django"
            default: false
            }
        }
    }

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

    /// Those that read all hashes that were added.
    private var verifiers = Verifier.allCases

    /// Adds a hash to be layered.
    mutating func add(_ scheme: PasswordHash.Scheme, _ parameters: [PasswordHash.Parameter]) {
        let notation = parameters.first { $0.name == "notation" }?.value
        verifiers.removeAll { !$0.reads(scheme, notation: notation) }
    }

    /// What to say of layered hashes, in lines.
    var messages: [String] {
        [
            "crypt(3), htpasswd, nginx, PHP, Dovecot, LDAP and your application cannot read layered hashes",
            "these can: credkit, credkit-server" + ending,
        ]
    }

    private var ending: String {
        let names = verifiers.map(\.rawValue)
        guard let last = names.last else { return "" }
        let kind = names.count == 1 ? "the verifier" : "verifiers"
        let list = names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
        return ", \(kind) for \(list) in interoperability/ or /usr/share/doc/credkit/"
    }

    /// Returns the error for a table that needs `--allow-incompatible`.
    ///
    /// - Parameters:
    ///   - place: The table and the record.
    ///   - scheme: The scheme of its hash.
    /// - Returns: The error.
    func failure(_ place: String, _ scheme: PasswordHash.Scheme) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(place) has a hash that other programs read (\(scheme)); \(messages.joined(separator: "; ")); "
                + "if no other program reads this table, add --allow-incompatible; nothing was written"
        )
    }

    /// Says it, before anything is written.
    func report() {
        for message in messages { StandardStreams.report(message) }
    }
}
