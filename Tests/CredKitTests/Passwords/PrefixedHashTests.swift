// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

/// Hashes behind a name in braces: of Dovecot, OpenLDAP, 389 Directory Server and Spring Security.
@Suite struct PrefixedHashTests {
    private let context: PasswordContext

    init() throws {
        context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(8), passes: 1))
        )
    }

    @Test func publishedHashesVerify() throws {
        let vectors = try PrefixedHashVector.all()
        #expect(vectors.count == 32)
        for vector in vectors {
            let hash = try PasswordHash(vector.hash)
            #expect(hash.description == vector.hash)
            #expect(hash.scheme.name == vector.scheme)
            #expect(hash.systems == vector.systems)
            #expect(try context.matches(vector.password, hash), "\(vector.origin)")
            #expect(try !context.matches(vector.password + "x", hash))
        }
    }

    @Test func layeringChangesNoVerdict() throws {
        for vector in try PrefixedHashVector.all() {
            let older = try PasswordHash(vector.hash)
            let isLayerable =
                !vector.scheme.hasPrefix("argon2") && vector.scheme != "scrypt" && !older.isSCRAM
            guard isLayerable else {
                #expect(throws: PasswordError.unsupported) { try context.layer(over: older) }
                continue
            }
            let layered = try PasswordHash(context.layer(over: older))
            #expect(context.mightHaveLayered(layered, over: older))
            #expect(try context.matches(vector.password, layered))
            #expect(try !context.matches(vector.password + "x", layered))
        }
    }

    // MARK: Replacements

    /// A system still reads the record that a login has replaced, if the text says which system it is.
    @Test func aReplacementKeepsTheNameOfItsSystem() throws {
        for (vector, beginning) in [
            ("{MD5-CRYPT}$1$", "{ARGON2ID}$argon2id$v=19$m=8,t=1,p=1$"),
            ("{SHA1}", "{ARGON2ID}$argon2id$"),
            ("{ldap}{SSHA}", "{argon2@SpringSecurity_v5_8}$argon2id$"),
            // No new hashes are made for this system.
            ("{PKCS5S2}", "$argon2id$"),
        ] {
            let test = try #require(try PrefixedHashVector.all().first { $0.hash.hasPrefix(vector) })
            let verification = try context.verify(test.password, against: test.hash)
            guard case .match(let newer?) = verification else {
                Issue.record("\(vector) is not replaced")
                continue
            }
            #expect(newer.hasPrefix(beginning), "\(newer)")
            #expect(try context.verify(test.password, against: newer) == .match(rehashed: nil))
        }
        // The name stays as it is written, if its systems read the new scheme behind it.
        let bcrypt = try PasswordContext(policy: PasswordPolicy(preferred: .bcrypt(cost: 5)))
        for (prefix, beginning) in [("{CRYPT}", "{CRYPT}$2b$05$"), ("{crypt}", "{crypt}$2b$05$")] {
            let older = try PasswordHash(prefix + "//EsnG9FLTKjo")
            let newer = try bcrypt.verify("test", against: older)
            guard case .match(let text?) = newer else {
                Issue.record("\(prefix) is not replaced")
                continue
            }
            #expect(text.hasPrefix(beginning), "\(text)")
        }
    }

    /// OpenLDAP takes a hash without a name in braces for the password itself.
    @Test(
        arguments: [
            "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "{ssha}tCNGqyJLk/uvKpCa4vga5GB2gWoxMjM0NTY3OA==",
            "{CRYPT}$1$abc$iCQ2D3nhptRYi27fDYv2s1",
        ] as [String]
    )
    func aReplacementIsReadByAllSystemsOfTheName(_ older: String) throws {
        let preferred = try PasswordParameters.argon2id(memory: .kibibytes(8), passes: 1)
        let accepting = try PasswordContext(
            policy: PasswordPolicy(preferred: preferred, accepted: [.bcrypt(cost: 4), .yescrypt(cost: 1)])
        )
        guard case .match(let newer?) = try accepting.verify("secret", against: older) else {
            Issue.record("\(older) is not replaced")
            return
        }
        #expect(newer.hasPrefix("{CRYPT}$y$"), "\(newer)")
        #expect(try accepting.verify("secret", against: newer) == .match(rehashed: nil))
        // A policy that accepts no scheme of theirs: the record stays as it is.
        #expect(try context.verify("secret", against: older) == .match(rehashed: nil))
        #expect(try context.verify("Secret", against: older) == .mismatch)
        // Only CredKit verifies a hash with a pepper.
        let pepper = try PasswordPepper(keys: ["k": SecretBytes("0123456789abcdef")], current: "k")
        let peppered = try PasswordContext(policy: PasswordPolicy(preferred: preferred), pepper: pepper)
        guard case .match(let text?) = try peppered.verify("secret", against: older) else {
            Issue.record("\(older) gets no pepper")
            return
        }
        #expect(text.hasPrefix("$pepper-hmac-sha256$keyid=k$argon2id$"), "\(text)")
    }

    // MARK: What is not read

    @Test(
        arguments: [
            ("{PLAIN}secret", "the password itself is stored"), ("{cleartext}secret", "the password itself"),
            ("{PLAIN.HEX}736563726574", "the password itself"), ("{noop}secret", "the password itself"),
            ("{ldap}secret", "the password itself"),
            ("{ldap}{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==", "{SSHA} and {SHA}"),
            ("{ldap}{ldap}{SSHA}AAAA", "{SSHA} and {SHA}"),
            ("{CRAM-MD5}7dead29c194d4ac3cf5f337b23fa3b9b32c9f4b1d7d7b1fa2539d66ce368e997", "CRAM-MD5"),
            ("{DIGEST-MD5}77c1a8c437c9b08ba2f460fe5d58db5d", "DIGEST-MD5"),
            ("{OTP}sha1 1024 ae6b49aa481f7233 f69fc7f98b8fbf54", "one-time passwords"),
            ("{LANMAN}01fc5a6be7bc6929aad3b435b51404ee", "LM"), ("{TOTP1}GEZDGNBVGY3TQOJQ", "one-time codes"),
            ("{SASL}user@EXAMPLE.ORG", "another service"), ("{AES}Zm9v", "encrypted"),
        ]
    )
    func textsThatAreNotReadSayWhy(_ text: String, _ reason: String) {
        let error = #expect(throws: PasswordError.self) { try PasswordHash(text) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(reason) == true, "\(text): \(error?.message ?? "")")
    }

    @Test(arguments: ["{FOO}x", "{SHA1.b32}x", "{SHA384.HEX}00", "{a.b.c}"] as [String])
    func anUnknownPrefixIsNamed(_ text: String) throws {
        let error = #expect(throws: PasswordError.self) { try PasswordHash(text) }
        let end = try #require(text.firstIndex(of: "}"))
        #expect(error?.code == .unrecognized)
        #expect(error?.message.contains(text[...end]) == true, "\(error?.message ?? "")")
    }

    @Test func longAndOddPrefixesAreRefused() {
        let limits = PasswordLimits(hashByteCount: 2_000_000)
        for text in [
            "{" + String(repeating: "A", count: 1_000_000) + "}x",
            String(repeating: "{ldap}", count: 100_000), String(repeating: "{", count: 1_000_000),
            "{" + String(repeating: "x", count: 49) + "}", "{}x", "{SHA\u{301}}x", "{SHA}\u{301}", "{MD5}{",
            "{MD5}{\(String(repeating: "s", count: 300))}5f4dcc3b5aa765d61d8327deb882cf99", "{\"a\":1}",
        ] {
            let error = #expect(throws: PasswordError.self) { try PasswordHash(text, limits: limits) }
            #expect((error?.message.utf8.count ?? 1000) < 160)
        }
    }

    // MARK: Dovecot and OpenLDAP themselves

    // A process of doveadm or slappasswd hashes one password in some 15 ms, so their counts are small. Batches of 1,000 are
    // in PrefixedHashPeerTests.

    /// The schemes of `doveadm pw -l` that are not read.
    private static let refused: Set = [
        "PLAIN", "CLEAR", "CLEARTEXT", "PLAIN-TRUNC", "CRAM-MD5", "HMAC-MD5", "DIGEST-MD5", "OTP",
    ]

    @Test func everySchemeOfDovecotIsReadOrRefusedWithAReason() throws {
        let list = try Program.succeed(["doveadm", "pw", "-l"], errors: .kept).text
        let schemes = list.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(schemes.count > 25)
        for scheme in schemes {
            for suffix in ["", ".HEX", ".hex", ".B64", ".base64"] {
                for drawn in RandomPasswords.draw(TestForm.isDeep ? 4 : 1) {
                    // DES hashes 8 bytes.
                    let password = scheme == "DES-CRYPT" ? "des" + drawn.filter(\.isASCII).prefix(5) : drawn
                    let text = try Program.succeed(
                        ["doveadm", "pw", "-s", scheme + suffix, "-u", "user@example.org", "-p", password],
                        errors: .kept
                    ).lines.joined()
                    guard !Self.refused.contains(scheme) else {
                        let error = #expect(throws: PasswordError.self, "\(text)") { try PasswordHash(text) }
                        #expect(error?.code == .unsupported, "\(text)")
                        continue
                    }
                    let hash = try PasswordHash(text)
                    #expect(hash.description == text)
                    #expect(hash.systems.contains("Dovecot"), "\(text)")
                    #expect(try context.matches(password, hash), "\(text)")
                    #expect(try !context.matches("-" + password, hash), "\(text)")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("{SSHA}", "pw-sha2"), ("{SHA}", "pw-sha2"), ("{MD5}", "pw-sha2"), ("{SMD5}", "pw-sha2"),
            ("{CRYPT}", "pw-sha2"), ("{SHA256}", "pw-sha2"), ("{SSHA256}", "pw-sha2"),
            ("{SHA384}", "pw-sha2"),
            ("{SSHA384}", "pw-sha2"), ("{SHA512}", "pw-sha2"), ("{SSHA512}", "pw-sha2"),
            ("{ARGON2}", "argon2"),
            ("{PBKDF2}", "pw-pbkdf2"), ("{PBKDF2-SHA1}", "pw-pbkdf2"), ("{PBKDF2-SHA256}", "pw-pbkdf2"),
            ("{PBKDF2-SHA512}", "pw-pbkdf2"), ("{APR1}", "pw-apr1"), ("{BSDMD5}", "pw-apr1"),
        ]
    )
    func hashesOfOpenLDAPVerify(_ scheme: String, _ module: String) throws {
        for password in RandomPasswords.draw(TestForm.isDeep ? 20 : 1) {
            let text = try Program.succeed(
                [
                    "/usr/sbin/slappasswd", "-n", "-o", "module-path=/usr/lib/ldap", "-o",
                    "module-load=\(module)", "-h", scheme, "-s", password,
                ],
                errors: .kept
            ).text
            let hash = try PasswordHash(text)
            #expect(hash.description == text)
            #expect(hash.systems.contains("OpenLDAP"))
            #expect(try context.matches(password, hash), "\(text)")
            #expect(try !context.matches("-" + password, hash), "\(text)")
        }
    }

    /// Dovecot verifies new hashes in its own notation.
    @Test(arguments: PasswordHash.PrefixSystem.dovecot.schemes.filter { !$0.name.hasPrefix("scram") })
    func dovecotVerifiesNewHashes(_ scheme: PasswordHash.Scheme) throws {
        let context = try PasswordContext(policy: PasswordPolicy(preferred: .cheapest(scheme)))
        for password in RandomPasswords.draw(TestForm.isDeep ? 100 : 1) {
            let hash = try PasswordHash(context.hash(password))
            let text = try #require(hash.notation(for: .dovecot))
            #expect(try PasswordHash(text).systems.contains("Dovecot"))
            for (attempt, isMatch) in [(password, true), ("-" + password, false)] {
                let outcome = try Program.run(["doveadm", "pw", "-t", text, "-p", attempt], errors: .kept)
                #expect((outcome.status == 0) == isMatch, "\(text): \(outcome.errors)")
            }
        }
    }

    @Test func eachSystemHasItsOwnNotation() throws {
        // 32 bytes of zeros in Base64 without padding.
        let zeros = String(repeating: "A", count: 43)
        let salt = "AAECAwQFBgcICQoLDA0ODw"
        let argon2 = "$argon2id$v=19$m=64,t=1,p=1$\(salt)$\(zeros)"
        let bcrypt = "$2b$04$abcdefghijklmnopqrstuu\(String(repeating: ".", count: 31))"
        let dotted = ".AAAAAAAAAAAAAAAAAAAAA"
        let padded = "+AAAAAAAAAAAAAAAAAAAAA=="
        let pbkdf2 = "$pbkdf2-sha256$1000$\(dotted)$\(zeros)"
        let scrypt = "$scrypt$ln=17,r=8,p=1$\(salt)$\(zeros)"
        let scram = "SCRAM-SHA-256$4096:\(salt)==$\(zeros)=:\(zeros)="
        let expected: [(String, PasswordHash.PrefixSystem, String?)] = [
            (argon2, .dovecot, "{ARGON2ID}\(argon2)"), (argon2, .openLDAP, "{ARGON2}\(argon2)"),
            (argon2, .springSecurity, "{argon2@SpringSecurity_v5_8}\(argon2)"),
            (argon2, .directoryServer, nil), ("{ARGON2}\(argon2)", .dovecot, "{ARGON2ID}\(argon2)"),
            (bcrypt, .dovecot, "{BLF-CRYPT}\(bcrypt)"), (bcrypt, .openLDAP, "{CRYPT}\(bcrypt)"),
            (bcrypt, .springSecurity, "{bcrypt}\(bcrypt)"),
            ("bcrypt$\(bcrypt)", .dovecot, "{BLF-CRYPT}\(bcrypt)"),
            (pbkdf2, .openLDAP, "{PBKDF2-SHA256}1000$\(dotted)$\(zeros)"),
            (pbkdf2, .directoryServer, "{PBKDF2-SHA256}1000$\(padded)$\(zeros)="),
            (scrypt, .springSecurity, "{scrypt@SpringSecurity_v5_8}$110801$\(salt)==$\(zeros)="),
            (scram, .dovecot, "{SCRAM-SHA-256}4096,\(salt)==,\(zeros)=,\(zeros)="),
            (pbkdf2, .dovecot, nil), (scrypt, .dovecot, nil),
            ("$1$abc$iCQ2D3nhptRYi27fDYv2s1", .dovecot, nil),
        ]
        for (hash, system, text) in expected {
            #expect(try PasswordHash(hash).notation(for: system) == text)
            if let text { #expect(try PasswordHash(text).systems.contains(system.rawValue)) }
        }
        #expect(try PasswordHash(argon2).systems.isEmpty)
    }
}
