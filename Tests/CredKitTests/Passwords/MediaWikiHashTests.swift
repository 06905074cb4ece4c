// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Testing

/// The texts of MediaWiki. Those that verify are in Vectors/Data/framework-hashes.json, from MediaWiki's own tests.
@Suite struct MediaWikiHashTests {
    /// From tests/phpunit/unit/includes/password of wikimedia/mediawiki: no match.
    @Test(arguments: [
        ":B:salt:d529e941509eb9e9b9cfaeae1fe7ca23", ":A:d529e941509eb9e9b9cfaeae1fe7ca23",
        ":A:salt:d529e941509eb9e9b9cfaeae1fe7ca23",
        ":bcrypt:5$CCCCCCCCCCCCCCCCCCCCC.$E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ":argon2:$argon2i$v=19$m=1024,t=2,p=2$UGZqTWJRUkI1alVNTGRUbA$RcASw9XUWjCDO9WNnuVkGkEylURUW/CcNwSffdFwN74",
    ])
    func otherPasswordsDoNotMatch(_ text: String) throws {
        #expect(try PasswordContext().verify("password", against: text) == .mismatch)
        #expect(try PasswordHash(text).systems == ["MediaWiki"])
        #expect(try PasswordHash(text).description == text)
    }

    @Test(arguments: [
        ":A:", ":A:5f4dcc3b5aa765d61d8327deb882cf9", ":A:5F4DCC3B5AA765D61D8327DEB882CF99",
        ":A:a:b:5f4dcc3b5aa765d61d8327deb882cf99", ":B:5f4dcc3b5aa765d61d8327deb882cf99", ":B:salt:",
        ":B:\(String(repeating: "s", count: 257)):5f4dcc3b5aa765d61d8327deb882cf99",
        ":pbkdf2:sha512:0:20:c2FsdA==:4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":pbkdf2:sha512:02:20:c2FsdA==:4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":pbkdf2:sha512:2:21:c2FsdA==:4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":pbkdf2:sha512:2:20::4dnBaqaBcIpF9cfE4hXOtm4BGi4=", ":pbkdf2:sha512:2:8:c2FsdA==:4dnBaqaBcIo=",
        ":pbkdf2:sha512:2:20:c2FsdA:4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":pbkdf2:sha512:2:20:c2FsdA==:4dnBaqaBcIpF9cfE4hXOtm4BGi4=:",
        ":pbkdf2-legacyA:sha512:2:20!c2FsdA==!4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":pbkdf2-legacyA:!sha512:2:20!salt!c2FsdA==!4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":pbkdf2-legacyB:!sha512:2:20!c2FsdA==!4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":bcrypt:05$CCCCCCCCCCCCCCCCCCCCC.$E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ":bcrypt:3$CCCCCCCCCCCCCCCCCCCCC.$E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ":bcrypt:100$CCCCCCCCCCCCCCCCCCCCC.$E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ":bcrypt:5$CCCCCCCCCCCCCCCCCCCCC.E$5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ":argon2:argon2$argon2i$v=19$m=1024,t=2,p=2$UGZqTWJRUkI1alVNTGRUbA$RcASw9XUWjCDO9WNnuVkGkEylURUW",
        ":argon2:$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    ])
    func malformedTextsAreErrors(_ text: String) {
        #expect(throws: PasswordError.malformed) { try PasswordHash(text) }
    }

    @Test(arguments: [
        ":pbkdf2:whirlpool:2:20:c2FsdA==:4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ":pbkdf2-legacyB:!md5:2:20!s!c2FsdA==!4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
    ])
    func otherFunctionsAreUnsupported(_ text: String) {
        #expect(throws: PasswordError.unsupported) { try PasswordHash(text) }
    }

    /// PBKDF2 over a type A or B is no hash of the preferred scheme.
    @Test func onlyPlainPBKDF2IsComparedWithThePolicy() throws {
        let digest = Base64.standard.encode([UInt8](repeating: 1, count: 64))
        let policy = try PasswordPolicy(preferred: .pbkdf2SHA512(iterations: 1000))
        for (text, status) in [
            (":pbkdf2:sha512:1000:64:c2FsdA==:\(digest)", PasswordHashStatus.current),
            (":pbkdf2:sha512:999:64:c2FsdA==:\(digest)", .weaker),
            (":pbkdf2-legacyA:!sha512:999:64!!c2FsdA==!\(digest)", .deprecated),
            (":pbkdf2-legacyB:!sha512:999:64!s!c2FsdA==!\(digest)", .deprecated),
        ] {
            #expect(try policy.assess(PasswordHash(text)) == status, "\(text)")
        }
        #expect(
            try PasswordPolicy.recommended.assess(
                PasswordHash(":bcrypt:12$CCCCCCCCCCCCCCCCCCCCC.$E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
            )
                == PasswordPolicy.recommended.assess(
                    PasswordHash("$2y$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
                )
        )
    }
}
