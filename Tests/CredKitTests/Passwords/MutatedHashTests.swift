// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import Foundation
import XCTest

/// Random changes to hashes of every form that another tool made: 200 of each, 2,000 with `CREDKIT_DEEP`.
final class MutatedHashTests: XCTestCase {
    private static let count = ProcessInfo.processInfo.environment["CREDKIT_DEEP"] == "1" ? 2000 : 200

    /// The last one for a cost that is within the limit for a shorter password only.
    private static let refusals: [PasswordError] = [
        .malformed, .unrecognized, .unsupported, .overLimit, .unknownKey, .passwordTooLong,
    ]

    func testMutatedHashesAreRefusedOrMismatch() throws {
        let forms = try forms() + ownForms()
        XCTAssertGreaterThan(forms.count, 60)
        let schemes = try forms.map { try PasswordHash($0.hash).scheme }
        XCTAssertEqual(Set(schemes), Set(PasswordHash.Scheme.all), "a scheme has no hash")
        let others = forms.map { Array($0.hash.utf8) }
        let valid = Set(forms.map { Self.simplified($0.hash) })
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
            var random = SeededGenerator(seed: 0xF0A5 + UInt64(form))
            for _ in 0..<Self.count {
                let bytes = HashMutation.mutated(others[form], from: others, using: &random)
                let text = String(decoding: bytes, as: UTF8.self)
                XCTAssertLessThan(PasswordSchemes.all.count { $0.recognizes(text) }, 2, text)
                let simplified = Self.simplified(text)
                // Parts of several hashes may add up to one of them.
                guard !valid.contains(simplified), !Self.isFirstPart(simplified, of: test.hash) else {
                    continue
                }
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
    private func ownForms() throws -> [PasswordInteroperabilityTests.Case] {
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

    /// One hash of each form: of each scheme, by the shape of its text. The costly ones take too long.
    private func forms() throws -> [PasswordInteroperabilityTests.Case] {
        var shapes: Set<String> = []
        return try VectorFile<PasswordInteroperabilityTests.Case>.load("password-hashes").cases.filter {
            test in
            guard try PasswordHash(test.hash).estimatedTime < .milliseconds(60) else { return false }
            let fields = test.hash.split(separator: "$", omittingEmptySubsequences: false)
            let shape = fields.map { field in
                field.contains("=") || field.isEmpty || field.count < 8 ? String(field.prefix(7)) : "…"
            }
            let prefix = test.hash.firstIndex(of: "}").map { test.hash[...$0] } ?? ""
            return shapes.insert("\(test.scheme) \(prefix)\(shape)").inserted
        }
    }

    /// Returns whether a text is the DES hash of the first 8 characters that a bigcrypt hash begins with.
    private static func isFirstPart(_ text: String, of hash: String) -> Bool {
        text.utf8.count == 13 && !hash.contains("$") && simplified(hash).hasPrefix(text)
    }

    /// Returns a text without what its form does not distinguish.
    private static func simplified(_ text: String) -> String {
        var text = text
        // The case of a name of LDAP.
        if text.hasPrefix("{"), let end = text.firstIndex(of: "}") {
            text = text[...end].lowercased() + text[end...].dropFirst()
            // A prefix that is only a notation.
            if text.hasPrefix("{crypt}") { text.removeFirst(7) }
        }
        // The variants of bcrypt differ only for bytes beyond ASCII; SHA-crypt has 5,000 rounds by default.
        for (variant, same) in [
            ("$2a$", "$2b$"), ("$2y$", "$2b$"), ("$2x$", "$2b$"), ("rounds=5000$", ""),
        ] {
            if let range = text.range(of: variant) { text.replaceSubrange(range, with: same) }
        }
        return text
    }
}

extension PasswordContext {
    fileprivate func verifies(_ password: String, _ hash: String) throws(PasswordError) -> Bool {
        try matches(password, PasswordHash(hash, limits: limits))
    }
}
