// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import XCTest

final class StoredCredentialTests: XCTestCase {
    private static let equivalent = "97070e99c2efa11e14a1b6f5407b4209"
    /// Seen with PostgreSQL 15: the key phrase `itheima`, the password `zhang`.
    private static let verifier =
        "SCRAM-SHA-256$4096:AAECAwQFBgcICQoLDA0ODw==$KF3u/eCZt9UIB1MueuLHk9cABGd+ufEBFa1gruFeQq8="
        + ":4U7rBpjBPZ4TFO7vOhBKdDlVcxY16DDWYvgULWmyxBQ="
    private static let dovecot =
        "{SCRAM-SHA-256}4096,AAECAwQFBgcICQoLDA0ODw==,KF3u/eCZt9UIB1MueuLHk9cABGd+ufEBFa1gruFeQq8="
        + ",4U7rBpjBPZ4TFO7vOhBKdDlVcxY16DDWYvgULWmyxBQ="
    private static let layer = "$layered-scram$keyid=timestamped-login$"
    private static let sha1 =
        "SCRAM-SHA-1$4096:AAECAwQFBgcICQoLDA0ODw==$AAAAAAAAAAAAAAAAAAAAAAAAAAA=:AAAAAAAAAAAAAAAAAAAAAAAAAAA="

    func testEachStateIsReadAndPrinted() throws {
        typealias State = StoredCredential.State
        let equivalent = Self.equivalent, layered = Self.layer + Self.verifier
        let texts: [(String, State, String)] = [
            (equivalent, .passwordEquivalent, "‹password-equivalent›"),
            (
                "\(equivalent)+\(layered)", .passwordEquivalentAndVerifier,
                "‹password-equivalent and layered SCRAM-SHA-256 verifier›"
            ),
            (
                "\(equivalent)+\(Self.layer)\(Self.dovecot)", .passwordEquivalentAndVerifier,
                "‹password-equivalent and layered SCRAM-SHA-256 verifier›"
            ),
            (layered, .layeredVerifier, "‹layered SCRAM-SHA-256 verifier›"),
            (Self.layer + Self.dovecot, .layeredVerifier, "‹layered SCRAM-SHA-256 verifier›"),
            (Self.verifier, .verifier, "‹SCRAM-SHA-256 verifier›"),
            (Self.dovecot, .verifier, "‹SCRAM-SHA-256 verifier›"),
            (Self.sha1, .verifier, "‹SCRAM-SHA-1 verifier›"),
            ("$1$abc$iCQ2D3nhptRYi27fDYv2s1", .hash, "‹password hash›"),
        ]
        for (text, state, kind) in texts {
            let credential = try StoredCredential(text)
            XCTAssertEqual(credential.text, text)
            XCTAssertEqual(credential.state, state, text)
            XCTAssertEqual("\(credential)", kind)
            XCTAssertEqual(Mirror(reflecting: credential).children.count, 0)
            XCTAssertEqual(credential, try StoredCredential(credential.text))
            let isOld = state == .passwordEquivalent || state == .passwordEquivalentAndVerifier
            XCTAssertEqual(credential.passwordEquivalent?.hex, isOld ? equivalent : nil)
            let hash = isOld ? "$hex-hmac-md5$keyid=timestamped-login$\(equivalent)" : text
            XCTAssertEqual(credential.passwordHash, hash)
            XCTAssertEqual(credential.verifier == nil, state == .passwordEquivalent || state == .hash)
        }
        XCTAssertEqual(StoredCredential.unusable.state, .unusable)
        XCTAssertEqual(StoredCredential.unusable.text, "!")
    }

    func testRemovingThePasswordEquivalentLeavesTheVerifier() throws {
        let layered = try StoredCredential(Self.layer + Self.verifier)
        let both = try StoredCredential("\(Self.equivalent.uppercased())+\(layered.text)")
        XCTAssertEqual(both.removingPasswordEquivalent, layered)
        XCTAssertNil(try StoredCredential(Self.equivalent).removingPasswordEquivalent)
        for text in [layered.text, Self.verifier, "$1$abc$iCQ2D3nhptRYi27fDYv2s1"] {
            XCTAssertEqual(try StoredCredential(text).removingPasswordEquivalent?.text, text)
        }
        let equivalent = try XCTUnwrap(MessageDigest<16>(hex: Self.equivalent))
        let verifier = try SCRAM.Verifier(Self.verifier)
        XCTAssertEqual(StoredCredential(passwordEquivalent: equivalent, verifier: verifier), both)
        XCTAssertEqual(StoredCredential(SCRAM.Record(verifier, of: .passwordEquivalent)), layered)
    }

    func testMalformedTextsAreRefusedWithoutTheirContent() {
        let equivalent = Self.equivalent
        for text in [
            "", "SCRAM-SHA-256$", "{SCRAM-SHA-256}", "$layered-scram$", "\(equivalent)+",
            "\(equivalent)+\(equivalent)",
            "\(equivalent)+\(Self.verifier)", "\(equivalent)\(Self.layer)\(Self.verifier)", "\(equivalent)0",
            "\(equivalent)+\(Self.layer)\(Self.sha1)",
            "\(equivalent)+$layered-scram$keyid=other$\(Self.verifier)",
            "\(equivalent)+$1$abc$iCQ2D3nhptRYi27fDYv2s1", "\(Self.layer)\(equivalent)", "\(Self.verifier) ",
            "$scram$6400$.Z/znnNOKWUsBaCU$sha-1=cRseQyJpnuPGn3e6d6u6JdJWk.0,sha-256=5G",
        ] {
            XCTAssertThrowsError(try StoredCredential(text), text) { error in
                XCTAssertEqual(error as? LoginServerError, .malformedCredential)
                XCTAssertFalse("\(error)".contains(equivalent) || "\(error)".contains("KF3u"), "\(error)")
            }
        }
        XCTAssertThrowsError(try StoredCredential("$scram$6400$.Z/znnNOKWUsBaCU$sha-1=c")) { error in
            XCTAssertTrue("\(error)".contains("every old copy"), "\(error)")
        }
    }

    func testOnlyVerifiersOfLoginsAreUsedForSCRAM() throws {
        for text in [
            Self.verifier, Self.layer + Self.dovecot, "\(Self.equivalent)+\(Self.layer)\(Self.verifier)",
        ] {
            XCTAssertNoThrow(try StoredCredential(text).scramRecord())
        }
        let pbkdf2 = try PasswordContext(policy: PasswordPolicy(preferred: .pbkdf2SHA256(iterations: 1000)))
            .hash("correct horse")
        for (text, reason) in [
            (Self.equivalent, "can be made of it"), (pbkdf2, "every old copy"), (Self.sha1, "SHA-1"),
            ("$1$abc$iCQ2D3nhptRYi27fDYv2s1", "is not a verifier"),
            ("$layered-scram$keyid=x$\(Self.verifier)", "another key"),
        ] {
            XCTAssertThrowsError(try StoredCredential(text).scramRecord(), text) { error in
                XCTAssertEqual(error as? LoginServerError, .unsuitableCredential)
                XCTAssertTrue("\(error)".contains(reason), "\(error)")
            }
        }
        XCTAssertThrowsError(try StoredCredential.unusable.scramRecord())
    }
}
