// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// MD5 in hexadecimal digits, plain, salted or repeated, as ``Legacy/SaltedMD5`` computes it. Some 10¹⁰ guesses
    /// a second. Verified only.
    public static let hexMD5 = Self("hex-md5")

    /// SHA-1 in hexadecimal digits, plain, salted or repeated. Some 10¹⁰ guesses a second. Verified only.
    public static let hexSHA1 = Self("hex-sha1")

    /// SHA-256 in hexadecimal digits, plain, salted or repeated. Some 10¹⁰ guesses a second. Verified only.
    public static let hexSHA256 = Self("hex-sha256")

    /// SHA-384 in hexadecimal digits, plain, salted or repeated. Some 10⁹ guesses a second. Verified only.
    public static let hexSHA384 = Self("hex-sha384")

    /// SHA-512 in hexadecimal digits, plain, salted or repeated. Some 10⁹ guesses a second. Verified only.
    public static let hexSHA512 = Self("hex-sha512")

    /// Windows's NT hash in hexadecimal digits: MD4 of the password in UTF-16, without a salt. Some 10¹¹ guesses a
    /// second, against all users at once. Verified only. ``ntHash`` is crypt(3)'s notation for it.
    public static let hexNTLM = Self("hex-ntlm")
}

/// The function that made a bare hexadecimal digest.
enum HexFunction: Sendable, Hashable {
    case fast(PasswordHash.LegacyHexAlgorithm.HashFunction)
    case ntlm

    static let all = PasswordHash.LegacyHexAlgorithm.HashFunction.allCases.map(Self.fast) + [.ntlm]

    /// Creates the function that a text names by its beginning; `nil` if it names none.
    init?(beginning text: String) {
        guard text.hasPrefix("$hex-"), let function = Self.all.first(where: { text.hasPrefix($0.beginning) })
        else { return nil }
        self = function
    }

    /// The beginning of the texts: `$hex-md5$`.
    var beginning: String {
        switch self {
        case .fast(let function): "$hex-\(function.rawValue)$"
        case .ntlm: "$hex-ntlm$"
        }
    }

    var scheme: PasswordHash.Scheme {
        switch self {
        case .fast(.md5): .hexMD5
        case .fast(.sha1): .hexSHA1
        case .fast(.sha256): .hexSHA256
        case .fast(.sha384): .hexSHA384
        case .fast(.sha512): .hexSHA512
        case .ntlm: .hexNTLM
        }
    }

    var digestByteCount: Int {
        switch self {
        case .fast(let function): function.digestByteCount
        case .ntlm: MD4.digestByteCount
        }
    }

    var roundSeconds: Double {
        switch self {
        case .fast(let function): function.roundSeconds
        case .ntlm: 0.3e-6
        }
    }

    func weakness(hasSalt: Bool) -> String {
        switch self {
        case .fast(let function):
            "\(function.title)\(hasSalt ? "" : " without a salt"): \(function.guesses)"
                + (hasSalt ? "" : ", against all users at once")
        case .ntlm: NTLM.weakness
        }
    }
}
