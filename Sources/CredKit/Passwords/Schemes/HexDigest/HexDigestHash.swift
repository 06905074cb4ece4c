// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `$hex-sha256$position=suffix,rounds=2,salt=c2hvcA$digest`: a notation of CredKit's own for bare digests of tables. It
/// stores the parameters that made a digest together with it.
///
/// Position and salt are left out if there is no salt, rounds if there is one round, and the whole field if it would
/// be empty. The salt is Base64 without padding. `$hex-ntlm$` has neither.
struct HexDigestHash: ByteDigestScheme {
    let function: HexFunction
    let isPrefix: Bool
    let rounds: Int
    let salt: [UInt8]
    var digest: [UInt8]

    static let schemes = HexFunction.all.map(\.scheme)

    static func recognizes(_ text: String) -> Bool { HexFunction(beginning: text) != nil }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false).dropFirst(2)
        guard let function = HexFunction(beginning: text), 1...2 ~= fields.count, let digest = fields.last
        else { throw .malformed("it must have the fields name, parameters, digest") }
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
        try self.init(
            function: function,
            digest: HexDigest.parse(digest, byteCount: function.digestByteCount),
            isPrefix: isPrefix,
            rounds: rounds,
            salt: salt
        )
        // Each value has exactly one text: if a parameter is redundant, repeated or in another order, the canonical
        // text differs.
        guard parameters.isEmpty, description == text else {
            throw .malformed("the parameters must be position, rounds, salt in their canonical form")
        }
    }

    init(
        function: HexFunction,
        digest: [UInt8],
        isPrefix: Bool = false,
        rounds: Int = 1,
        salt: [UInt8] = []
    ) throws(PasswordError) {
        guard 1...Legacy.SaltedMD5.maximumRounds ~= rounds else {
            throw .malformed("the rounds must be from 1 to \(Legacy.SaltedMD5.maximumRounds)")
        }
        guard salt.count <= 256 else { throw .malformed("the salt has more than 256 bytes") }
        guard function != .ntlm || rounds == 1 && salt.isEmpty else {
            throw .malformed("NTLM has neither a salt nor rounds")
        }
        self.function = function
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
        return function.beginning + (parts.isEmpty ? "" : parts.joined(separator: ",") + "$")
            + Hex.encode(digest)
    }

    var scheme: PasswordHash.Scheme { function.scheme }

    var weakness: String? { function.weakness(hasSalt: !salt.isEmpty) }
    var parameters: [PasswordHash.Parameter] {
        guard function != .ntlm else { return [] }
        return [.init("rounds", rounds)]
            + (salt.isEmpty ? [] : [.init("position", isPrefix ? "prefix" : "suffix")])
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: 10e-6 + Double(rounds) * function.roundSeconds)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        switch function {
        case .fast(let function):
            try function.digest(of: password, salt: salt, isPrefix: isPrefix, rounds: rounds)
        case .ntlm: try NTLM.digest(of: password)
        }
    }
}

/// Digests as hexadecimal digits, as stored in tables.
enum HexDigest {
    /// The numbers of digits that bare digests of tables have.
    static let digitCounts = [32, 40, 64, 96, 128]

    /// Parses lowercase digits, two per byte.
    static func parse(_ text: some StringProtocol, byteCount: Int = 16) throws(PasswordError) -> [UInt8] {
        guard text.utf8.count == 2 * byteCount,
            text.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 }), let bytes = try? Hex.decode(text)
        else { throw .malformed("the digest must be \(2 * byteCount) lowercase hexadecimal digits") }
        return bytes
    }

    /// Returns the error for a bare digest, which names the algorithms that may have made it; `nil` for other texts.
    ///
    /// The command decides before that: `BareHashOptions.hash` for a single hash, `read` of `HashUpgrader` for tables.
    static func ambiguity(of text: String) -> PasswordError? {
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            ambiguity(of: String(text[..<colon])) != nil
        {
            return .unrecognized("hexadecimal digits and a salt do not name the algorithm that made them")
        }
        let count = text.utf8.count
        guard digitCounts.contains(count), (try? Hex.decode(text)) != nil else { return nil }
        var names = PasswordHash.LegacyHexAlgorithm.HashFunction.allCases
            .filter { 2 * $0.digestByteCount == count }.map(\.title)
        if count == 32 { names += ["NTLM", "HMAC-MD5"] }
        let list = names.joined(separator: ", ")
        return .unrecognized("\(count) hexadecimal digits do not name the algorithm that made them: \(list)")
    }
}
