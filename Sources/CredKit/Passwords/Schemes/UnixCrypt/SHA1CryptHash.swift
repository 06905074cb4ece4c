// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// NetBSD's sha1crypt, `$sha1$`: PBKDF1 with HMAC-SHA-1, which takes hardly any memory. Verified only.
    public static let sha1Crypt = Self("sha1-crypt")
}

/// `$sha1$iterations$salt$digest`.
struct SHA1CryptHash: CryptScheme {
    let iterations: Int
    private let saltText: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.sha1Crypt]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$sha1$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5 else {
            throw .malformed("it must have four fields: name, iterations, salt, digest")
        }
        iterations = Int(try PHCString.integer(fields[2], name: "iterations"))
        guard iterations > 0 else { throw .malformed("the number of iterations is 0") }
        guard 1...64 ~= fields[3].utf8.count, CryptAlphabet.unix.contains(fields[3]) else {
            throw .malformed("the salt must be 1 to 64 characters of crypt(3)'s encoding")
        }
        guard fields[4].utf8.count == 28, CryptAlphabet.unix.isCanonical(fields[4]) else {
            throw .malformed("the digest must be 28 characters of crypt(3)'s encoding")
        }
        saltText = String(fields[3])
        tail = String(fields[4])
    }

    var head: String { "$sha1$\(iterations)$\(saltText)$" }
    var scheme: PasswordHash.Scheme { .sha1Crypt }
    var weakness: String? { "it takes hardly any memory, so graphics cards compute it fast" }
    var parameters: [PasswordHash.Parameter] { [.init("iterations", iterations)] }
    var salt: [UInt8] { Array(saltText.utf8) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: Double(iterations) * 0.9e-6)
    }
}
