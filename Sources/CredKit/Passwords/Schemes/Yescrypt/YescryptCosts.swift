// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The costs of yescrypt, as the field between `$y$` and the salt encodes them.
struct YescryptCosts: Sendable, Hashable {
    let logN: Int
    let blockSize: Int
    let parallelism: Int
    /// t: additional time, 0 in practice.
    let additionalPasses: Int

    init(parsing text: some StringProtocol) throws(PasswordError) {
        var rest = Array(text.utf8)[...]
        let flavor = try Self.number(&rest, minimum: 0)
        guard flavor <= 2 + 0x3FC >> 2 else { throw .unsupported("there is no such flavor of yescrypt") }
        logN = try Self.number(&rest, minimum: 1)
        blockSize = try Self.number(&rest, minimum: 1)
        var parallelism = 1
        var additionalPasses = 0
        if !rest.isEmpty {
            let present = try Self.number(&rest, minimum: 1)
            if present & 1 != 0 { parallelism = try Self.number(&rest, minimum: 2) }
            if present & 2 != 0 { additionalPasses = try Self.number(&rest, minimum: 1) }
            guard present & ~3 == 0 else {
                throw .unsupported("yescrypt with a ROM or upgraded hashes cannot be checked")
            }
        }
        guard rest.isEmpty, 1...63 ~= logN else { throw .malformed("there are no such costs of yescrypt") }
        self.parallelism = parallelism
        self.additionalPasses = additionalPasses
    }

    /// The costs that crypt_gensalt(3) makes of 1 to 11.
    init(cost: Int) {
        logN = cost < 3 ? cost + 9 : cost + 7
        blockSize = cost < 3 ? 8 : 32
        parallelism = 1
        additionalPasses = 0
    }

    /// N · r: what the memory is proportional to.
    var memory: Double { Double(sign: .plus, exponent: logN, significand: 1) * Double(blockSize) }

    /// What the time is proportional to.
    var work: Double { memory * Double(parallelism) * Double(1 + additionalPasses) }

    var expense: PasswordExpense {
        PasswordExpense(
            memoryByteCount: Int(exactly: (memory * 128).rounded()) ?? .max,
            seconds: work * 0.14e-6
        )
    }

    /// Numbers of variable length: small ones are one character, each further one makes room for more.
    private static func number(_ text: inout ArraySlice<UInt8>, minimum: Int) throws(PasswordError) -> Int {
        func digit() throws(PasswordError) -> Int {
            guard let character = text.popFirst(), let value = CryptAlphabet.unix.value(of: character) else {
                throw .malformed("the costs end too early, or have a character that means nothing")
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
