// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Django's mark for an account without a password, `!` with or without 40 random characters: no password matches.
    ///
    /// Verifying answers ``PasswordVerification/mismatch``. The mark is never replaced, under any policy.
    public static let unusable = Self("unusable")
}

extension PasswordHash {
    /// Whether this is the mark of an account without a password. A policy cannot refuse it: it is always a mismatch.
    var isUnusable: Bool { stored is UnusableHash }
}

/// `!`, and 40 random letters and digits since Django 1.6.
struct UnusableHash: PasswordScheme {
    private static let randomCount = 40

    let description: String

    static let schemes: [PasswordHash.Scheme] = [.unusable]

    static func recognizes(_ text: String) -> Bool {
        text == "!" || text.hasPrefix("!") && text.utf8.count == 1 + randomCount
    }

    init(parsing text: String) throws(PasswordError) {
        guard text.utf8.dropFirst().allSatisfy({ 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 }) else {
            throw .malformed("the characters behind the '!' must be letters and digits")
        }
        description = text
    }

    var scheme: PasswordHash.Scheme { .unusable }
    var weakness: String? { "it is the mark of an account without a password: no password matches" }
    var parameters: [PasswordHash.Parameter] { [] }
    var salt: [UInt8] { [] }
    var digest: [UInt8] { [] }

    func computationCost(passwordByteCount: Int) -> ComputationCost { ComputationCost(seconds: 1e-9) }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool { false }
}
