// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Windows's NT hash in the notation of crypt(3), `$3$`: MD4 without a salt, some 10¹¹ guesses a second. Verified
    /// only. Characters beyond ASCII are hashed byte by byte like libxcrypt does, not like Windows does.
    public static let ntHash = Self("nt")
}

/// `$3$$` and 32 hexadecimal digits.
struct NTHash: CryptScheme {
    var tail: String

    static let zeroDigit: Character = "0"

    static let schemes: [PasswordHash.Scheme] = [.ntHash]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$3$") }

    init(parsing text: String) throws(PasswordError) {
        let digits = text.dropFirst(4)
        guard text.hasPrefix("$3$$"), digits.utf8.count == 32,
            digits.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 })
        else { throw .malformed("it must be $3$$ and 32 lowercase hexadecimal digits") }
        tail = String(digits)
    }

    var head: String { "$3$$" }
    var scheme: PasswordHash.Scheme { .ntHash }
    var weakness: String? { NTLM.weakness }
    var parameters: [PasswordHash.Parameter] { [] }
    var salt: [UInt8] { [] }

    func computationCost(passwordByteCount: Int) -> ComputationCost { ComputationCost(seconds: 10e-6) }
}
