// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Random changes to hashes of every form that another tool made: 100 of each, 2,000 with `CREDKIT_DEEP`.
final class MutatedHashTests: XCTestCase {
    private static let count = TestForm.isDeep ? 2000 : 100

    /// The last one for a cost that is within the limit for a shorter password only.
    private static let refusals: [PasswordError] = [
        .malformed, .unrecognized, .unsupported, .overLimit, .unknownKey, .passwordTooLong,
    ]

    func testMutatedHashesAreRefusedOrMismatch() throws {
        let forms = try StoredHashCase.cheapest { try Self.form(of: $0) } + ownForms()
        XCTAssertGreaterThan(forms.count, 90)
        let schemes = try forms.map { try PasswordHash($0.hash).scheme }
        // No password matches the mark of an account without one.
        XCTAssertEqual(Set(schemes).union([.unusable]), Set(PasswordHash.Scheme.all), "a scheme has no hash")
        let all = try StoredHashCase.all()
        var compared = 0
        for (form, test) in zip(0..., forms) {
            // A mutated cost must not make the test slow.
            let time = try PasswordHash(test.hash).estimatedTime
            var limits = PasswordLimits.standard
            limits.computationTime = max(time * 2, .milliseconds(1))
            limits.memory = .mebibytes(33)
            let context = PasswordContext(
                verifyingBy: .recommended,
                limits: limits,
                pepper: try Self.pepper,
                legacyKeys: ["app": try SecretBytes("84143")]
            )
            XCTAssertTrue(try context.verifies(test.password, test.hash), test.hash)
            // Parts of hashes of the same password may add up to one of them.
            let others = all.filter { $0.password != test.password }.map { Array($0.hash.utf8) }
            let valid = Self.simplified(test.hash)
            var random = SeededGenerator(seed: 0xF0A5 + UInt64(form))
            for _ in 0..<Self.count {
                let bytes = HashMutation.mutated(Array(test.hash.utf8), from: others, using: &random)
                let text = String(decoding: bytes, as: UTF8.self)
                XCTAssertLessThan(PasswordSchemes.all.count { $0.recognizes(text) }, 2, text)
                guard Self.simplified(text) != valid, !Self.isFirstPart(text, of: test.hash) else { continue }
                do throws(PasswordError) {
                    let isMatch = try context.verifies(test.password, text)
                    XCTAssertFalse(isMatch, "\(test.hash) as \(text)")
                    compared += 1
                } catch {
                    XCTAssertTrue(Self.refusals.contains(error), "\(text): \(error)")
                }
            }
        }
        // Otherwise the test would not show that changes to salts and costs are noticed.
        XCTAssertGreaterThan(compared, forms.count * Self.count / 20)
    }

    private static var pepper: PasswordPepper {
        get throws {
            try PasswordPepper(keys: ["2026": SecretBytes("0123456789abcdef")], current: "2026")
        }
    }

    /// CredKit's own forms.
    private func ownForms() throws -> [StoredHashCase] {
        let policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(8), passes: 1))
        let (plain, peppered) = (
            try PasswordContext(policy: policy), try PasswordContext(policy: policy, pepper: Self.pepper)
        )
        let older = "{crypt}$1$enj3zXHY$wCtIX4i4zYONlJGTLLNP6."
        return [
            try plain.layer(over: older), try peppered.layer(over: older),
            try peppered.hash("correct horse"),
        ].map { .init(scheme: "", hash: $0, password: "correct horse", origin: "") }
    }

    /// Returns the form of a hash: its scheme and notation, and the fields that are empty or state rounds.
    private static func form(of test: StoredHashCase) throws -> String {
        let fields = test.hash.split(separator: "$", omittingEmptySubsequences: false)
        let shape = fields.map { $0.isEmpty ? "" : $0.contains("rounds=") ? "rounds" : "…" }
        let prefix = test.hash.firstIndex(of: "}").map { test.hash[...$0] } ?? ""
        return "\(try test.form()) \(prefix)\(shape)"
    }

    /// Returns whether a text is a part of a hash that is a hash itself.
    private static func isFirstPart(_ text: String, of hash: String) -> Bool {
        // The DES hash of the first 8 characters that a bigcrypt hash begins with.
        if text.utf8.count == 13, !hash.contains("$"), simplified(hash).hasPrefix(text) { return true }
        // All but 16 bytes of the digest of ASP.NET Identity 3, which Microsoft's verifier accepts, too.
        return text.utf8.count == 60 && text.hasPrefix("AQAAAA") && hash.hasPrefix(text)
    }

    /// Returns a text without what its form does not distinguish.
    private static func simplified(_ text: String) -> String {
        var text = text
        // Several names in braces stand before the same hash, some of them before its encoded text.
        while text.hasPrefix("{"), let end = text.firstIndex(of: "}") {
            let (name, rest) = (text[...end].lowercased(), String(text[end...].dropFirst()))
            var bytes: [UInt8]?
            if name.hasSuffix(".hex}") { bytes = try? Hex.decode(rest) }
            if name.hasSuffix(".b64}") { bytes = try? Base64.standard.decode(rest) }
            text = bytes.flatMap { String(bytes: $0, encoding: .utf8) } ?? rest
            // OpenLDAP's PBKDF2 has no padding, and that of 389 Directory Server has it.
            while name.hasPrefix("{pbkdf2"), text.hasSuffix("=") { text.removeLast() }
        }
        // Django's salt before one of crypt(3), whose first two characters are the same.
        if text.hasPrefix("crypt$") { text = String(text.suffix(13)) }
        for (part, same) in [
            // A prefix that is only a notation.
            ("argon2$argon2", "$argon2"), (":argon2:$argon2", "$argon2"),
            // MediaWiki takes a type A with a salt for a type B.
            (":B:", ":A:"), ("bcrypt$$2", "$2"),
            // The variants of bcrypt differ only for bytes beyond ASCII.
            ("$2a$", "$2b$"), ("$2y$", "$2b$"), ("$2x$", "$2b$"), ("$2a,", "$2b,"),
            // Without a version, a hash of Argon2 is of the first one, 0x10.
            ("$v=16$", "$"),
            // SHA-crypt has 5,000 rounds by default.
            ("rounds=5000$", ""),
            // A length that is that of the function, and the name of the function that has none.
            (",l=20$", "$"), (",l=32$", "$"), (",l=64$", "$"), ("$pbkdf2-sha1$i=", "$pbkdf2$i="),
        ] {
            if let range = text.range(of: part) { text.replaceSubrange(range, with: same) }
        }
        return text
    }
}

extension PasswordContext {
    fileprivate func verifies(_ password: String, _ hash: String) throws(PasswordError) -> Bool {
        try matches(password, PasswordHash(hash, limits: limits))
    }
}
