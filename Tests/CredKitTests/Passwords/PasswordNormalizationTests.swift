// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class PasswordNormalizationTests: XCTestCase {
    private func context(_ normalization: PasswordNormalization) throws -> PasswordContext {
        var policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(64), passes: 1))
        policy.normalization = normalization
        return try PasswordContext(policy: policy)
    }

    private let composed = "p\u{E4}ssword\u{A0}\u{212B}"
    private let decomposed = "pa\u{308}ssword A\u{30A}"

    func testPasswordsAreBytesByDefault() throws {
        let plain = try context(.none)
        XCTAssertEqual(try plain.verify(decomposed, against: plain.hash(composed)), .mismatch)
        let normalizing = try context(.rfc8265)
        XCTAssertTrue(try normalizing.verify(decomposed, against: normalizing.hash(composed)).isMatch)
        XCTAssertTrue(try normalizing.verify(composed, against: normalizing.hash(decomposed)).isMatch)
        // Both hash the same bytes if nothing needs normalization.
        XCTAssertTrue(try normalizing.verify("p ssword", against: plain.hash("p ssword")).isMatch)
    }

    func testPasswordsWithoutANormalFormAreRefusedWhenHashedAndMismatchOtherwise() throws {
        let normalizing = try context(.rfc8265)
        let record = try normalizing.hash("secret")
        for password in ["", "a\tb", "a\0b", "\u{378}", "\u{E000}"] {
            XCTAssertThrowsError(try normalizing.hash(password)) {
                XCTAssertEqual($0 as? PasswordError, .passwordNotAllowed)
            }
            XCTAssertEqual(try normalizing.verify(password, against: record), .mismatch)
        }
        XCTAssertThrowsError(try normalizing.hash([0xFF, 0xFE] as [UInt8])) {
            XCTAssertEqual($0 as? PasswordError, .passwordNotAllowed)
        }
    }

    func testHashesOfOtherSchemesUseTheRawBytes() throws {
        let older = try PasswordContext(policy: PasswordPolicy(preferred: .sha512Crypt(rounds: 1000))).hash(
            decomposed
        )
        let normalizing = try context(.rfc8265)
        guard case .match(let upgraded?) = try normalizing.verify(decomposed, against: older) else {
            return XCTFail("no match")
        }
        XCTAssertEqual(try normalizing.verify(composed, against: older), .mismatch)
        // After this change both spellings are one password.
        XCTAssertTrue(try normalizing.verify(composed, against: upgraded).isMatch)
    }

    func testHashesOfFormerlyPreferredSchemesAreNormalizedIfConfigured() throws {
        let record = try context(.rfc8265).hash(composed)
        var policy = PasswordPolicy(
            preferred: try .scrypt(logN: 4),
            accepted: [try .argon2id(memory: .kibibytes(64), passes: 1)]
        )
        policy.normalization = .rfc8265
        XCTAssertEqual(try PasswordContext(policy: policy).verify(decomposed, against: record), .mismatch)
        policy.normalizedSchemes = [.argon2id]
        XCTAssertTrue(try PasswordContext(policy: policy).verify(decomposed, against: record).isMatch)
    }
}
