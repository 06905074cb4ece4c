// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Testing

/// Accounts of Firebase, in the form that Supabase reads.
@Suite struct FirebaseHashTests {
    private static let key =
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
    private static let digest =
        "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

    /// The example of firebase/scrypt's README.md.
    static let example = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=\(key)$42xEC+ixf3L2lw==$\(digest)"

    private func context(keys: [String: SecretBytes] = [:]) throws -> PasswordContext {
        try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(64), passes: 1)),
            legacyKeys: keys
        )
    }

    @Test(arguments: [
        (FirebaseHashTests.example, "user1password"),
        (
            // TestScrypt of supabase/auth, internal/crypto/password_test.go.
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==",
            "mytestpassword"
        ),
    ])
    func publishedHashesVerify(_ text: String, _ password: String) throws {
        let hash = try PasswordHash(text)
        #expect(hash.description == text)
        #expect(hash.scheme == .firebaseScrypt)
        #expect(hash.memory >= .mebibytes(16))
        #expect(try context().matches(password, hash))
        #expect(try !context().matches(password + "1", hash))
        #expect(throws: PasswordError.unsupported) { try context().layer(over: hash) }
    }

    @Test func signerKeysCanStayOutOfTheTable() throws {
        let hash = try PasswordHash(
            Self.example.replacing("sk=\(Self.key)", with: "keyid=project")
        )
        #expect(!hash.description.contains(Self.key))
        #expect(hash.parameters.contains { $0.name == "key" && $0.value == "project" })
        let key = try SecretBytes(Base64.standard.decode(Self.key))
        #expect(try context(keys: ["project": key]).matches("user1password", hash))
        #expect(try !context(keys: ["project": key]).matches("User1password", hash))
        let other = try SecretBytes([UInt8](repeating: 1, count: 64))
        #expect(try !context(keys: ["project": other]).matches("user1password", hash))
        // Without the key there is no answer, and so with its text in place of its bytes.
        let text = try SecretBytes(Self.key)
        for keys in [[:], ["other": key], ["project": text]] as [[String: SecretBytes]] {
            #expect(throws: PasswordError.unknownKey) {
                try context(keys: keys).matches("user1password", hash)
            }
        }
    }

    /// The costs are those of scrypt, and limited as they are.
    @Test func costsAreComparedAsThoseOfScrypt() throws {
        var policy = try PasswordPolicy(preferred: .scrypt(logN: 14, blockSize: 8, parallelism: 1))
        #expect(try policy.assess(PasswordHash(Self.example)) == .current)
        policy.preferred = try .scrypt(logN: 15, blockSize: 8, parallelism: 1)
        #expect(try policy.assess(PasswordHash(Self.example)) == .weaker)
        let costly = Self.example.replacing("n=14", with: "n=24")
        #expect(throws: PasswordError.overLimit) { try context().verify("user1password", against: costly) }
        #expect(throws: PasswordError.overLimit) {
            try PasswordHash(Self.example.replacing("n=14", with: "n=40"))
        }
    }

    @Test(arguments: [
        ("v=1", "v=2"), ("n=14", "n=0"), ("n=14", "n=014"), ("r=8", "r=0"), ("p=1", "p=0"),
        ("n=14,r=8", "r=8,n=14"),
        ("ss=Bw==", "ss="), ("ss=Bw==", "ss=Bw"), ("ss=Bw==", "ss=Bx=="), (",sk=", ",x="),
        (",sk=", ",keyid=a,sk="),
        ("sk=jxsp", "sk="), ("$lSrf", "$"), ("$42xEC+ixf3L2lw==", "$42xEC-ixf3L2lw=="), ("$42xE", "$$42xE"),
        ("$fbscrypt$", "$fbscrypt$$"),
    ])
    func damagedTextsAreErrors(_ old: String, _ new: String) {
        #expect(Self.example.contains(old))
        #expect(throws: PasswordError.malformed) { try PasswordHash(Self.example.replacing(old, with: new)) }
    }

    /// A short digest would match many passwords.
    @Test func shortSignerKeysAreErrors() {
        let text = "$fbscrypt$v=1,n=4,r=8,p=1,sk=ODQxNDM=$AAECAwQFBgc=$LuiEzls="
        #expect(throws: PasswordError.malformed) { try PasswordHash(text) }
    }
}
