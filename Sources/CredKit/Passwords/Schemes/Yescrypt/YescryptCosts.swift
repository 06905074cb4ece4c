// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The costs of yescrypt, encoded in the field between `$y$` and the salt.
struct YescryptCosts: Sendable, Hashable {
    /// Whether memory is written while it is read, as in all flavors except the first two, which are scrypt's.
    let isReadWrite: Bool
    let logN: Int
    let blockSize: Int
    let parallelism: Int
    /// t: additional time, 0 in practice.
    let additionalPasses: Int
    /// Whether libxcrypt computes these costs: classic scrypt, the first yescrypt or today's, without a ROM.
    let isComputed: Bool

    /// Parses a field of costs. Throws if the field is malformed, or yescrypt itself does not allow the costs.
    init(parsing text: some StringProtocol) throws(PasswordError) {
        var rest = Array(text.utf8)[...]
        let flavor = try Self.number(&rest, minimum: 0)
        isReadWrite = flavor >= 2
        logN = try Self.number(&rest, minimum: 1)
        blockSize = try Self.number(&rest, minimum: 1)
        var parallelism = 1
        var additionalPasses = 0
        var present = 0
        if !rest.isEmpty {
            present = try Self.number(&rest, minimum: 1)
            if present & 1 != 0 { parallelism = try Self.number(&rest, minimum: 2) }
            if present & 2 != 0 { additionalPasses = try Self.number(&rest, minimum: 1) }
            // The number of upgrades of the hash, and the size of the ROM.
            if present & 4 != 0 { _ = try Self.number(&rest, minimum: 1) }
            if present & 8 != 0 { _ = try Self.number(&rest, minimum: 1) }
        }
        // N is at least 4; yescrypt divides it among the lanes, and classic scrypt has no additional passes.
        let lanes = flavor < 2 ? 1 : parallelism
        guard rest.isEmpty, present < 16, 2...63 ~= logN, lanes <= 1 << (logN - 2),
            flavor > 0 || additionalPasses == 0, Double(blockSize) * Double(parallelism) < 0x1p30
        else { throw .malformed("the costs of yescrypt are out of range") }
        isComputed = present & 12 == 0 && [0, 1, 47].contains(flavor)
        self.parallelism = parallelism
        self.additionalPasses = additionalPasses
    }

    /// Creates the costs that crypt_gensalt(3) uses for 1 to 11.
    init(cost: Int) {
        isReadWrite = true
        logN = cost < 3 ? cost + 9 : cost + 7
        blockSize = cost < 3 ? 8 : 32
        parallelism = 1
        additionalPasses = 0
        isComputed = true
    }

    /// N · r, which memory is proportional to.
    var memory: Double { Double(sign: .plus, exponent: logN, significand: 1) * Double(blockSize) }

    /// A number that time is proportional to: filling the memory once, and passing over it again according to t.
    var work: Double {
        let passes = Double(additionalPasses)
        switch (isReadWrite, additionalPasses) {
        case (true, 0...1): return memory * (4 + passes) / 3
        case (true, _): return memory * passes
        case (false, 0): return memory * 2 * Double(parallelism)
        case (false, 1): return memory * 2.5 * Double(parallelism)
        case (false, _): return memory * (1 + passes * 1.5) * Double(parallelism)
        }
    }

    var computationCost: ComputationCost {
        let lanes = Double(blockSize) * Double(parallelism)
        // V, B and the memory of each lane; and PBKDF2 into B and out of it.
        let bytes = memory * 128 + lanes * 384 + Double(parallelism) * 12_288
        return ComputationCost(
            memory: .bytes(Int(exactly: bytes.rounded()) ?? .max),
            seconds: work * 0.11e-6 + lanes * 6e-6
        )
    }

    /// Parses a number of variable length: small numbers take one character, each further character extends the
    /// range.
    private static func number(_ text: inout ArraySlice<UInt8>, minimum: Int) throws(PasswordError) -> Int {
        func digit() throws(PasswordError) -> Int {
            guard let character = text.popFirst(), let value = CryptAlphabet.unix.value(of: character) else {
                throw .malformed("the costs are truncated or contain an invalid character")
            }
            return value
        }
        let first = try digit()
        var (start, end, count, bits) = (0, 47, 1, 0)
        var number = minimum
        while first > end {
            number += (end + 1 - start) << bits
            start = end + 1
            end = start + (62 - end) / 2
            count += 1
            bits += 6
        }
        number += (first - start) << bits
        for _ in 1..<count {
            bits -= 6
            number += try digit() << bits
        }
        guard number <= UInt32.max else { throw .malformed("a cost is 2³² or more") }
        return number
    }
}
