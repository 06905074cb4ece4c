// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// yescrypt, `$y$`, the scheme of Debian and Fedora for system passwords.
    public static let yescrypt = Self("yescrypt")

    /// yescrypt inside the Russian hash function GOST R 34.11-2012, `$gy$`. Verified only.
    public static let gostYescrypt = Self("gost-yescrypt")
}

/// `$y$j9T$salt$digest`, `$gy$j9T$salt$digest`.
struct YescryptHash: CryptScheme {
    let isGOST: Bool
    private let costsText: String
    let costs: YescryptCosts
    private let saltText: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.yescrypt, .gostYescrypt]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$y$") || text.hasPrefix("$gy$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5 else {
            throw .malformed("it must have four fields: name, costs, salt, digest")
        }
        costs = try YescryptCosts(parsing: fields[2])
        guard fields[3].utf8.count <= 86, CryptAlphabet.unix.isCanonical(fields[3]) else {
            throw .malformed("the salt must be at most 64 bytes in yescrypt's encoding")
        }
        guard fields[4].utf8.count == 43, CryptAlphabet.unix.isCanonical(fields[4]) else {
            throw .malformed("the digest must be 43 characters of yescrypt's encoding")
        }
        guard costs.isComputed else {
            throw .unsupported("libxcrypt computes neither this flavor of yescrypt nor any flavor with a ROM")
        }
        isGOST = fields[1] == "gy"
        costsText = String(fields[2])
        saltText = String(fields[3])
        tail = String(fields[4])
    }

    var head: String { "$\(isGOST ? "gy" : "y")$\(costsText)$\(saltText)$" }
    var scheme: PasswordHash.Scheme { isGOST ? .gostYescrypt : .yescrypt }
    var salt: [UInt8] { Array(saltText.utf8) }

    var parameters: [PasswordHash.Parameter] {
        [
            .init("log-n", costs.logN), .init("block-size", costs.blockSize),
            .init("parallelism", costs.parallelism), .init("additional-passes", costs.additionalPasses),
        ]
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost { costs.computationCost }
}
