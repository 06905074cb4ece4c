// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// The original crypt(3): DES with 12 bits of salt. It hashes only the first 8 bytes of a password, and only 7
    /// bits of each. Verified only.
    public static let desCrypt = Self("des-crypt")

    /// BSDi's extension of the original crypt(3), `_`: whole passwords, 24 bits of salt. Verified only.
    public static let bsdiCrypt = Self("bsdi-crypt")
}

/// Two characters of salt and eleven of digest; or `_`, four characters of rounds, four of salt, eleven of digest.
struct DESCryptHash: CryptScheme {
    /// `nil` for the original crypt(3), which has 25.
    private let rounds: Int?
    let head: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.desCrypt, .bsdiCrypt]

    static func recognizes(_ text: String) -> Bool {
        text.hasPrefix("_") || text.utf8.count == 13 && CryptAlphabet.unix.contains(text)
    }

    init(parsing text: String) throws(PasswordError) {
        let isExtended = text.hasPrefix("_")
        guard text.utf8.count == (isExtended ? 20 : 13), CryptAlphabet.unix.contains(text.dropFirst()),
            CryptAlphabet.unix.isCanonical(text.suffix(11), isBigEndian: true)
        else { throw .malformed("its length or a character does not match crypt(3)'s encoding") }
        if isExtended {
            let digits = text.utf8.dropFirst().prefix(4).compactMap { CryptAlphabet.unix.value(of: $0) }
            let rounds = digits.reversed().reduce(0) { $0 << 6 | $1 }
            guard rounds > 0 else { throw .malformed("the rounds are 0") }
            self.rounds = rounds
        } else {
            rounds = nil
        }
        head = String(text.dropLast(11))
        tail = String(text.suffix(11))
    }

    var scheme: PasswordHash.Scheme { rounds == nil ? .desCrypt : .bsdiCrypt }
    var weakness: String? {
        rounds == nil
            ? "only the first 8 characters are hashed: all such passwords can be tried"
            : "rounds of DES: some 10⁷ guesses a second on one graphics card"
    }
    var parameters: [PasswordHash.Parameter] { rounds.map { [.init("rounds", $0)] } ?? [] }
    var salt: [UInt8] { Array(head.utf8.suffix(rounds == nil ? 2 : 4)) }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { rounds == nil && password.count > 8 }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: Double((rounds ?? 25) + passwordByteCount / 8 + 200) * 0.13e-6)
    }
}
