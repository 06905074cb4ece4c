// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Testing

/// The texts by which systems lock accounts, from their own sources.
@Suite struct LockMarkTests {
    private static let md5Crypt = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"

    /// A field, and the length of its mark if a hash follows it.
    struct Field: Sendable, CustomTestStringConvertible {
        let text: String
        let source: String

        var testDescription: String { "\(text) (\(source))" }

        init(_ text: String, _ source: String) {
            self.text = text
            self.source = source
        }
    }

    static let marks: [Field] = [
        Field("!", "shadow-utils, usermod -L"),
        Field("!!", "passwd -l of Fedora"),
        Field("*", "OpenBSD, usr.sbin/user/user.c: pwlock_str"),
        Field("*LOCKED*", "FreeBSD, usr.sbin/pw/tests/pw_lock_test.sh; NetBSD, usr.sbin/user/user.c: LOCKED"),
        Field("*LK*", "illumos, usr/src/head/shadow.h: LOCKSTRING"),
        Field("*AL*", "Oracle Solaris, shadow(5)"),
        Field("!*LOCKED*", "two programs"),
        Field("*LK*!", "two programs"),
        Field("*LK**LOCKED**!", "many programs"),
    ]

    static let inPlaceOfHash: [Field] = [
        Field("!", "shadow-utils, shadow(5)"), Field("!!", "useradd of Fedora"), Field("*", "passwd(5)"),
        Field("!*", "shadow-utils: usermod -L of an account with *"),
        Field("*LK*", "illumos, shadow(5)"), Field("*AL*", "Oracle Solaris, shadow(5)"),
        Field("NP", "illumos, shadow.h: NOLOGINSTRING"), Field("*NP*", "illumos, shadow.h: NOPWDRTR"),
        Field("*LK*NP", "illumos, passwdutil: ATTR_LOCK_ACCOUNT after ATTR_NOLOGIN_ACCOUNT"),
        Field("UP", "Oracle Solaris, shadow(5)"), Field("*LK*UP", "Oracle Solaris"),
        Field("invalid", "MariaDB, mysql_system_tables_data.sql"),
        Field("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "Samba, smbpasswd(5)"),
        Field("NO PASSWORDXXXXXXXXXXXXXXXXXXXXX", "Samba, smbpasswd(5)"),
        Field("{crypt}!x", "smbldap-tools, smbldap_tools.pm: disable_user"),
        Field("{CRYPT}x", "/etc/passwd in a directory"), Field("{CRYPT}", "an empty field of /etc/shadow"),
        Field("{CRYPT}!", "shadow(5) in a directory"), Field("{CRYPT}!*", "systemd-sysusers, in a directory"),
        Field("{CRYPT}*LK*", "shadow(5) of illumos in a directory"), Field("{SSHA}!", "LDAP Account Manager"),
        Field("*LOCKED**", "FreeBSD, pw_lock_test.sh: an account without a password"),
        Field("*************", "OpenBSD, usr.sbin/user/user.c"), Field("********", "macOS, passwd(5)"),
        Field("!" + String(repeating: "xB3dE", count: 8), "Django, set_unusable_password"),
        Field("*THISISNOTAVALIDPASSWORDTHATCANBEUSEDHERE", "MySQL, mysql_system_users.sql"),
        Field("!x", "a note"), Field("*20261123", "a note"), Field("! on leave, back in May", "a note"),
        Field("*NP-and-more-of-it*", "a note"), Field("!2024-01-31", "a note"),
        Field("!locked-by-admin", "a note"), Field("!Locked-By-The-Site-Owner", "a note"),
        Field("*LK* see ticket 4711", "a note"), Field("*LK*locked_by_admin 2024-01-31", "a note"),
    ]

    static let unreadable = [
        "*SUSPENDED*\(md5Crypt)", "disabled\(md5Crypt)", "*locked*\(md5Crypt)", "!disabled{SHA}aaaa",
        "*lk*ZTlS6OmWgmF06", "! ZTlS6OmWgmF06", "!ZTlS6OmWgmF06,M.z8", "ZTlS6OmWgmF06,M.z8",
        "*NP*\(md5Crypt)", "NP\(md5Crypt)", "!5ebe2294ecd0e0f08eab7690d2a6ee6", "!_J9..jiRo5l1.I9~Z6LM",
        "*LK*\(md5Crypt.dropLast())", "LOCKED", "*LK* \(md5Crypt)",
        // Base64url, and fewer than 13 characters between hyphens.
        "!Xaf-ImNooB_HFR-OVvjcY_pJqNg", "*LK*abcdef-ghijk1_mnopqr-stuvwx", "*a1b2c3d4-e5f6-4711-8899",
        // Behind a name, a part of a hash, or a text that is none.
        "{CRYPT}!ZTlS6OmWgmF0", "!{SHA}aaaa", "{SHA}!aaaa", "{SHA}", "{SHA}x", "{SSHA}invalid",
        "{CLEARTEXT}!", "{PLAIN}!secret", "{noop}*", "{unknown}!", "{SASL}!user@realm", "{CRYPT}!{PLAIN}x",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "NO PASSWORD",
    ]

    @Test func onlyUnrecognizedTextsAreComments() {
        var audit = PasswordTableAudit()
        let overLong = String(repeating: "$", count: 2000)
        let fields = [
            "{PLAIN}secret", "$1$bad", "!$1$bad", overLong, " {PLAIN}secret", "$1$ is old", overLong + " ",
            "", "!",
            " see", "nonsense",
        ]
        for (index, field) in fields.enumerated() {
            audit.add(Array(field.utf8).span, row: index + 1, bareHexAlgorithm: nil, isComment: true)
        }
        #expect(audit.comments == 7)
        #expect(audit.rows(.unsupported).first == [1])
        #expect(audit.rows(.malformed).first == [2, 3])
        #expect(audit.rows(.overLimit).first == [4])
    }

    @Test(arguments: LockMarkTests.marks)
    func hashBehindAMarkIsOfItsOwnScheme(_ mark: Field) {
        for (hash, scheme) in [
            (Self.md5Crypt, .md5Crypt), ("ZTlS6OmWgmF06", .desCrypt),
            ("*0E8F21E4240F5AD5A07D088F9C93890D13D78A4E", .mysql41),
        ] as [(String, PasswordHash.Scheme)] {
            let field = mark.text + hash
            let stored = StoredPasswordField(Array(field.utf8).span)
            #expect(stored.lockByteCount == mark.text.utf8.count, "\(field)")
            #expect(stored.absence == nil, "\(field)")
            var audit = PasswordTableAudit()
            audit.add(field, row: 1)
            #expect(audit.groups.map(\.scheme) == [scheme], "\(field)")
            #expect(audit.lockedWithHash == 1, "\(field)")
            #expect(audit.records(.upgradable) == 1, "\(field)")
        }
    }

    /// In a directory the mark stands behind the name in braces, and the class is the same.
    @Test(arguments: LockMarkTests.marks)
    func markBehindANameIsMovedBeforeIt(_ mark: Field) {
        for (name, hash) in [
            ("{CRYPT}", Self.md5Crypt), ("{MD5-CRYPT}", Self.md5Crypt), ("{crypt}", "ZTlS6OmWgmF06"),
            ("{SSHA}", "tCNGqyJLk/uvKpCa4vga5GB2gWoxMjM0NTY3OA=="),
        ] {
            let field = Array((name + mark.text + hash).utf8)
            let moved = StoredPasswordField.withMarksFirst(field.span) ?? []
            #expect(String(decoding: moved, as: UTF8.self) == mark.text + name + hash)
            let isMovedAgain = StoredPasswordField.withMarksFirst(moved.span) != nil
            #expect(!isMovedAgain)
            var audit = PasswordTableAudit()
            audit.add(name + mark.text + hash, row: 1)
            audit.add(name + hash, row: 2)
            #expect(audit.lockedWithHash == 1)
            #expect(audit.records(.upgradable) == 2)
            #expect(audit.records == 2)
        }
    }

    @Test(arguments: LockMarkTests.marks)
    func bareDigestBehindAMarkIsOfTheDeclaredAlgorithm(_ mark: Field) {
        var audit = PasswordTableAudit()
        audit.add(
            mark.text + "5ebe2294ecd0e0f08eab7690d2a6ee69",
            row: 1,
            bareHexAlgorithm: .digest(.md5)
        )
        #expect(audit.groups.map(\.locked) == [1])
    }

    @Test(arguments: LockMarkTests.inPlaceOfHash)
    func textInPlaceOfAHashIsOfALockedAccount(_ field: Field) {
        var audit = PasswordTableAudit()
        audit.add(field.text, row: 1)
        #expect(audit.records(.locked) == 1)
        #expect(audit.accounts == 0)
    }

    @Test(arguments: LockMarkTests.unreadable)
    func whatMayHideAHashIsReported(_ field: String) {
        var audit = PasswordTableAudit()
        audit.add(field, row: 7)
        #expect(audit.records(.unreadable) == 1)
        #expect(PasswordTableAudit.Problem.allCases.flatMap { audit.rows($0).first } == [7])
    }

    @Test func eachRecordIsInOneClass() throws {
        var policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(8), passes: 1))
        policy.deprecated.remove(.md5Crypt)
        let context = try PasswordContext(policy: policy)
        let layered = try context.layer(over: "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=")
        var audit = PasswordTableAudit(context: context)
        for (index, field) in [
            layered, "!" + layered, try context.hash("secret"), "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "*LK*",
            "", "x", "NP", "nonsense", Self.md5Crypt, "$1$abc$x",
            "$6$rounds=999999999$abcdefgh$" + String(repeating: ".", count: 86),
        ].enumerated() { audit.add(field, row: index + 1) }
        audit.add(Array("#".utf8).span, row: 13, bareHexAlgorithm: nil, isComment: true)
        audit.addIncomplete(row: 14, isComment: false)
        let classes = PasswordTableAudit.RecordClass.allCases
        #expect(classes.map { audit.records($0) } == [3, 1, 0, 2, 2, 5])
        #expect(classes.reduce(audit.comments) { $0 + audit.records($1) } == audit.records)
        #expect(audit.records == 14)
        #expect(audit.lockedWithHash == 1)
        #expect(audit.rows(.refused).first == [10])
        // The class of what was layered before depends on the layer.
        let costlier = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(16), passes: 1))
        )
        var again = PasswordTableAudit(context: costlier)
        again.add(layered, row: 1)
        #expect(again.records(.weak) == 1)
    }
}
