// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// MD5 in hexadecimal digits, plain, salted or repeated, as ``Legacy/SaltedMD5`` computes it. Some 10¹⁰ guesses
    /// a second. Verified only.
    public static let hexMD5 = Self("hex-md5")
}

/// `$hex-md5$position=suffix,rounds=2,salt=c2hvcA$digest`: a notation of CredKit's own for bare digests of tables. It
/// stores the parameters that made a digest together with it.
///
/// Position and salt are left out if there is no salt, rounds if there is one round, and the whole field if it would
/// be empty. The salt is Base64 without padding.
struct HexMD5Hash: LayerableScheme {
    let isPrefix: Bool
    let rounds: Int
    let salt: [UInt8]
    private(set) var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.hexMD5]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$hex-md5$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false).dropFirst(2)
        guard 1...2 ~= fields.count, let digest = fields.last else {
            throw .malformed("it must have the fields name, parameters, digest")
        }
        var isPrefix = false
        var rounds = 1
        var salt: [UInt8] = []
        var parameters =
            fields.dropLast().first?.split(separator: ",", omittingEmptySubsequences: false)[...] ?? []
        let position = parameters.first.map(String.init)
        if position == "position=prefix" || position == "position=suffix" {
            isPrefix = position == "position=prefix"
            parameters.removeFirst()
        }
        if let parameter = parameters.first, parameter.hasPrefix("rounds=") {
            rounds = Int(try PHCString.integer(parameter.dropFirst(7), name: "rounds"))
            parameters.removeFirst()
        }
        if let parameter = parameters.first, parameter.hasPrefix("salt=") {
            do throws(Base64.DecodingError) {
                salt = try Base64.standard.unpadded.decode(parameter.dropFirst(5))
            } catch {
                throw .malformed("the salt is not Base64 without padding: \(error)")
            }
            parameters.removeFirst()
        }
        try self.init(digest: HexDigest.parse(digest), isPrefix: isPrefix, rounds: rounds, salt: salt)
        // Each value has exactly one text: if a parameter is redundant, repeated or in another order, the canonical
        // text differs.
        guard parameters.isEmpty, description == text else {
            throw .malformed("the parameters must be position, rounds, salt in their canonical form")
        }
    }

    init(digest: [UInt8], isPrefix: Bool, rounds: Int, salt: [UInt8]) throws(PasswordError) {
        guard 1...Legacy.SaltedMD5.maximumRounds ~= rounds else {
            throw .malformed("the rounds must be from 1 to \(Legacy.SaltedMD5.maximumRounds)")
        }
        guard salt.count <= 256 else { throw .malformed("the salt has more than 256 bytes") }
        self.isPrefix = isPrefix && !salt.isEmpty
        self.rounds = rounds
        self.salt = salt
        self.digest = digest
    }

    var description: String {
        var parts: [String] = []
        if !salt.isEmpty { parts.append("position=\(isPrefix ? "prefix" : "suffix")") }
        if rounds > 1 { parts.append("rounds=\(rounds)") }
        if !salt.isEmpty { parts.append("salt=\(Base64.standard.unpadded.encode(salt))") }
        return "$hex-md5$" + (parts.isEmpty ? "" : parts.joined(separator: ",") + "$") + Hex.encode(digest)
    }

    var scheme: PasswordHash.Scheme { .hexMD5 }

    var weakness: String? { "MD5: some 10¹⁰ guesses a second on one graphics card" }
    var parameters: [PasswordHash.Parameter] {
        [.init("rounds", rounds)] + (salt.isEmpty ? [] : [.init("position", isPrefix ? "prefix" : "suffix")])
    }

    var setting: Self {
        var copy = self
        copy.digest = HexDigest.zeros
        return copy
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: 10e-6 + Double(rounds) * 0.3e-6)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        return try .copying(
            Legacy.SaltedMD5(saltBytes: salt, isPrefix: isPrefix, rounds: rounds).hash(span: password)
        )
    }
}
