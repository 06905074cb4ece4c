// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Testing

/// Joomla's `{SHA256}` with hexadecimal digits beside LDAP's with Base64.
@Suite struct JoomlaHashTests {
    /// `hash('sha256', 'secret' . 'salt')`.
    static let digits = "f84fa2149dbb62ed4e0cf1f550d2949b33a6513d3a7707e08502511c79ccb0ee"

    @Test func salts() throws {
        let policy = try PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1))
        let context = try PasswordContext(policy: policy)
        let hash = try PasswordHash("{SHA256}\(Self.digits):salt")
        #expect(hash.scheme == .joomlaSHA256)
        #expect(hash.systems == ["Joomla"])
        for text in [hash.description, try context.layer(over: hash)] {
            #expect(try context.verify("secret", against: text).isMatch)
            #expect(try context.verify("secretsalt", against: text) == .mismatch)
        }
        // With an empty salt it is the digest of the password alone.
        #expect(try context.verify("secretsalt", against: "{SHA256}\(Self.digits):").isMatch)
    }

    @Test(arguments: [
        "{SHA256}\(JoomlaHashTests.digits):a:b",
        "{SHA256}\(JoomlaHashTests.digits.uppercased()):salt",
        "{SHA256}\(JoomlaHashTests.digits.dropLast()):salt", "{sha256}\(JoomlaHashTests.digits):salt",
        "{SHA256}\(JoomlaHashTests.digits):\(String(repeating: "s", count: 257))",
    ])
    func malformedTextsAreErrors(_ text: String) {
        #expect(throws: PasswordError.malformed) { try PasswordHash(text) }
        #expect(PasswordSchemes.all.count { $0.recognizes(text) } == 1)
    }
}
