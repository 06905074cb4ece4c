// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// SCRAM's verifiers as password hashes. Their vectors are among those of all schemes.
final class SCRAMHashTests: XCTestCase {
    private let gnuSASL =
        "{SCRAM-SHA-256}4096,W22ZaJ0SNY7soEsUEjb6gQ==,WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=,"
        + "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
    /// Of the password-equivalent of `zhang` under the key phrase `itheima`; PostgreSQL 15.18 accepts the digits as password.
    private let layered =
        "$layered-scram$keyid=timestamped-login$SCRAM-SHA-256$4096:AAECAwQFBgcICQoLDA0ODw==$KF3u/eCZt9UIB1MueuLHk9cABGd+"
        + "ufEBFa1gruFeQq8=:4U7rBpjBPZ4TFO7vOhBKdDlVcxY16DDWYvgULWmyxBQ="

    private func keys(_ phrase: String = "itheima") throws -> [String: SecretBytes] {
        ["timestamped-login": try SecretBytes(Legacy.MD5.hash(secret: phrase).hex)]
    }

    func testBothFormsVerifyAndAreReplacedByArgon2id() throws {
        let verifier = try SCRAM.Verifier(gnuSASL)
        for (form, name) in [(SCRAM.Verifier.Form.dovecot, "dovecot"), (.postgreSQL, "postgresql")] {
            let hash = try PasswordHash(verifier.text(form))
            XCTAssertEqual(hash.scheme, .scramSHA256)
            XCTAssertEqual(hash.parameters.map(\.description), ["iterations=4096", "notation=\(name)"])
            XCTAssertEqual(hash.salt, verifier.salt)
            XCTAssertTrue(hash.isSCRAM)
            XCTAssertEqual(PasswordPolicy.recommended.assess(hash), .deprecated)
            guard case .match(let newer?) = try PasswordContext().verify("pencil", against: hash) else {
                return XCTFail("no new hash")
            }
            // A table of Dovecot goes on with names in braces.
            XCTAssertTrue(newer.hasPrefix(form == .dovecot ? "{ARGON2ID}$argon2id$" : "$argon2id$"), newer)
            XCTAssertFalse(try PasswordHash(newer).isSCRAM)
            XCTAssertEqual(try PasswordContext().verify("pencil ", against: hash), .mismatch)
            XCTAssertThrowsError(try PasswordContext().layer(over: hash)) { error in
                XCTAssertEqual(error as? PasswordError, .unsupported)
                XCTAssertTrue("\(error)".contains("computes with the verifier"), "\(error)")
            }
        }
    }

    /// A verifier with which no login by SCRAM would succeed does not match, although one of its keys is right.
    func testBothKeysAreCompared() throws {
        let other = try SCRAM.Verifier(password: "other", iterations: .fewer(4096))
        let fields = gnuSASL.split(separator: ",")
        for (index, key) in [(2, other.storedKey), (3, other.serverKey)] {
            var changed = fields.map(String.init)
            changed[index] = Base64.standard.encode(key)
            let text = changed.joined(separator: ",")
            XCTAssertEqual(try PasswordContext().verify("pencil", against: text), .mismatch)
        }
    }

    func testLayeredVerifierTakesTheKeyOfThePasswordEquivalent() throws {
        let context = try PasswordContext(policy: .recommended, legacyKeys: keys())
        let hash = try PasswordHash(layered)
        XCTAssertEqual(hash.scheme, .layeredScramSHA256)
        XCTAssertEqual(hash.description, layered)
        XCTAssertEqual(hash.scramRecord?.subject, .passwordEquivalent)
        XCTAssertTrue(try context.verify("zhang", against: hash).isMatch)
        // The password-equivalent itself is not a password of the form.
        for wrong in ["97070e99c2efa11e14a1b6f5407b4209", "zhang\n", ""] {
            XCTAssertEqual(try context.verify(wrong, against: hash), .mismatch)
        }
        XCTAssertEqual(
            try PasswordContext(policy: .recommended, legacyKeys: keys("other")).verify(
                "zhang",
                against: hash
            ),
            .mismatch
        )
        XCTAssertThrowsError(try PasswordContext().verify("zhang", against: hash)) {
            XCTAssertEqual($0 as? PasswordError, .unknownKey)
        }
        let equivalent = Legacy.TimestampedLogin(keyPhrase: "itheima").passwordEquivalent(for: "zhang")
        let made = SCRAM.Record(
            try .init(passwordEquivalent: equivalent, hashFunction: .sha512, iterations: .fewer(4096)),
            of: .passwordEquivalent
        )
        XCTAssertEqual(try PasswordHash(made.text).scheme, .layeredScramSHA512)
        XCTAssertTrue(try context.verify("zhang", against: made.text).isMatch)
    }

    /// A policy that prefers SCRAM keeps verifiers of the password, and replaces those of a password-equivalent.
    func testPolicyOfSCRAMKeepsVerifiers() throws {
        let policy = PasswordPolicy(preferred: .scramSHA256(iterations: try .fewer(8192)))
        let context = try PasswordContext(policy: policy, legacyKeys: keys())
        XCTAssertEqual(context.assess(try PasswordHash(gnuSASL)), .weaker)
        XCTAssertEqual(context.assess(try PasswordHash(layered)), .weaker)
        let own = try context.hash("pencil")
        XCTAssertTrue(own.hasPrefix("SCRAM-SHA-256$8192:"), own)
        XCTAssertEqual(try context.verify("pencil", against: own), .match(rehashed: nil))
        guard case .match(let newer?) = try context.verify("zhang", against: layered) else {
            return XCTFail("no new verifier")
        }
        XCTAssertTrue(newer.hasPrefix("SCRAM-SHA-256$8192:"), newer)
        XCTAssertNil(try PasswordHash(newer).scramRecord?.keyID)
    }

    func testNewVerifiersHaveTheFormAndCountThatWasAskedFor() throws {
        let parameters: [PasswordParameters] = [
            .scramSHA256(iterations: try .fewer(4096)),
            .scramSHA256(iterations: try .fewer(4096), form: .dovecot),
            .scramSHA512(iterations: try .fewer(5000), form: .dovecot, preparation: .postgreSQL),
        ]
        XCTAssertEqual(Set(parameters).count, 3, "parameters of another form are others")
        XCTAssertEqual(PasswordParameters.scramSHA256(), try .init(.scramSHA256))
        for (parameters, beginning) in zip(
            parameters,
            ["SCRAM-SHA-256$4096:", "{SCRAM-SHA-256}4096,", "{SCRAM-SHA-512}5000,"]
        ) {
            let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
            let text = try context.hash("correct horse")
            XCTAssertTrue(text.hasPrefix(beginning), text)
            XCTAssertEqual(try SCRAM.Verifier(text).salt.count, 16)
            XCTAssertTrue(try context.verify("correct horse", against: text).isMatch)
        }
        XCTAssertThrowsError(try PasswordParameters(.scramSHA256, costs: ["iterations": 4095])) {
            XCTAssertEqual($0 as? PasswordError, .invalidParameters)
        }
        XCTAssertThrowsError(try PasswordParameters(.scramSHA1)) {
            XCTAssertEqual($0 as? PasswordError, .invalidParameters)
        }
    }

    func testNewVerifiersHaveNoPepper() throws {
        let pepper = try PasswordPepper(keys: ["2026": SecretBytes("0123456789abcdef")], current: "2026")
        XCTAssertThrowsError(
            try PasswordContext(policy: PasswordPolicy(preferred: .scramSHA256()), pepper: pepper)
        ) {
            XCTAssertEqual($0 as? PasswordError, .invalidParameters)
        }
        // A verifier that only lacks the pepper is replaced by a hash that can have one.
        var policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(64), passes: 1))
        policy.accepted = [.scramSHA256(iterations: try .fewer(4096))]
        let context = try PasswordContext(policy: policy, pepper: pepper)
        guard case .match(let newer?) = try context.verify("pencil", against: gnuSASL) else {
            return XCTFail("no new hash")
        }
        XCTAssertTrue(newer.hasPrefix("$pepper-hmac-sha256$keyid=2026$argon2id$"), newer)
    }

    /// The password may have to be computed with several preparations: the limit is for all of them together.
    func testLimitsApplyBeforeAnyComputation() throws {
        var limits = PasswordLimits.standard
        limits.computationTime = .milliseconds(1)
        let context = PasswordContext(
            verifyingBy: .recommended,
            limits: limits,
            pepper: nil,
            legacyKeys: try keys()
        )
        XCTAssertTrue(try context.verify("pencil", against: gnuSASL).isMatch)
        for count in [10_000, 2_147_483_647] {
            for text in [gnuSASL, layered] {
                XCTAssertThrowsError(
                    try context.verify("pencil", against: text.replacing("4096", with: "\(count)"))
                ) {
                    XCTAssertEqual($0 as? PasswordError, .overLimit)
                }
            }
        }
    }

    func testDigestsOfPBKDF2BecomeVerifiersUnderADangerousNameOnly() throws {
        let django = try PasswordHash("pbkdf2_sha256$4096$seasalt$" + pbkdf2(.sha256))
        XCTAssertEqual(
            try SCRAM.Verifier(unsafeReplayable: django).text(),
            "SCRAM-SHA-256$4096:c2Vhc2FsdA==$jcqrjXB+36z/4CKUYqatLJLu4JV2aKN6LH4P4wJMLu4=:"
                + "24viaOZmuetUIOlnChBnBXbHqsO5n1bUxbndLNNfsrA="
        )
        let passlib = try PasswordContext(policy: .init(preferred: .pbkdf2SHA512(iterations: 5000)))
            .hash("correct horse")
        let verifier = try SCRAM.Verifier(unsafeReplayable: PasswordHash(passlib))
        XCTAssertEqual(verifier.hashFunction, .sha512)
        XCTAssertTrue(try PasswordContext().verify("correct horse", against: verifier.text()).isMatch)
        let pepper = try PasswordPepper(keys: ["2026": SecretBytes("0123456789abcdef")], current: "2026")
        let peppered = try PasswordContext(
            policy: .init(preferred: .pbkdf2SHA256(iterations: 1)),
            pepper: pepper
        ).hash("x")
        for text in [
            try PasswordContext(policy: .init(preferred: .argon2id(memory: .kibibytes(64), passes: 1))).hash(
                "x"
            ),
            "pbkdf2_sha1$1000$XiMha2mn82r7HQm6Q73swk$5ZN+nRM6k5I2WrFKnAW2ncrpRhY=", gnuSASL, peppered,
        ] {
            XCTAssertThrowsError(try SCRAM.Verifier(unsafeReplayable: PasswordHash(text)), text) {
                XCTAssertEqual($0 as? PasswordError, .unsupported)
            }
        }
    }

    private func pbkdf2(_ function: PBKDF2.Function) throws -> String {
        let key = try PBKDF2.deriveKey(
            from: SecretBytes("correct horse"),
            salt: Array("seasalt".utf8),
            function: function,
            iterations: 4096,
            count: 32
        )
        return key.withSecretBytes { key in Base64.standard.encode(key.indices.map { key[$0] }) }
    }

    func testReplayableTextsAreRefusedWithTheReason() {
        for (text, reason) in [
            (
                "$scram$6400$.Z/znnNOKWUsBaCU$sha-1=cRseQyJpnuPGn3e6d6u6JdJWk.0",
                "each old copy of the table logs in"
            ),
            ("97070e99c2efa11e14a1b6f5407b4209+\(layered)", "still logs in"),
        ] {
            XCTAssertThrowsError(try PasswordHash(text)) { error in
                XCTAssertEqual(error as? PasswordError, .unsupported)
                XCTAssertTrue("\(error)".contains(reason), "\(error)")
            }
        }
    }
}
