// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Feeds the texts of stored hashes to the parsers of all schemes, and verifies those that take microseconds.
    static let passwordHash = FuzzTarget("password-hash") { bytes in
        guard let text = String(input: bytes) else { return }
        let properties = try PasswordHashProperties()
        switch Result(catching: { () throws(PasswordError) in try PasswordHash(text) }) {
        case .success(let hash):
            try properties.check(hash, text: bytes)
            try properties.checkNeighbors(of: bytes)
            try properties.verify(hash)
            try properties.layer(over: hash)
        case .failure(let error):
            try require("\(error)".utf8.count < 200, "an error is short: \(error)")
        }
    }
}

private struct PasswordHashProperties {
    private let context: PasswordContext
    private let password = Array("correct horse".utf8)

    init() throws {
        // Computes for microseconds at most.
        let limits = PasswordLimits(memory: .kibibytes(64), computationTime: .microseconds(100))
        let policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(8), passes: 1))
        context = PasswordContext(
            verifyingBy: policy,
            limits: limits,
            pepper: try PasswordPepper(keys: ["2026": SecretBytes("0123456789abcdef")], current: "2026"),
            legacyKeys: ["app": try SecretBytes("84143")]
        )
    }

    func check(_ hash: PasswordHash, text: [UInt8]) throws {
        try require(hash.description.utf8.elementsEqual(text), "a hash has exactly one text: \(hash)")
        let again = try requireSuccess("a printed hash parses") { () throws(PasswordError) in
            try PasswordHash(hash.description)
        }
        try require(again == hash && again.scheme == hash.scheme, "a printed hash is the same hash")
        try require(text.allSatisfy { 0x20...0x7E ~= $0 }, "only printable ASCII is accepted")
        if hash.pepperKeyID == nil {
            let count = PasswordSchemes.all.count { $0.recognizes(hash.description) }
            try requireEqual(count, 1, "exactly one scheme recognizes a text")
        }
        try require(PasswordHash.Scheme.all.contains(hash.scheme), "the scheme is listed")
        try require(hash.salt.count <= text.count && hash.digest.count <= text.count, "parts are shorter")
        for parameter in hash.parameters {
            try require(!parameter.name.isEmpty && !parameter.value.isEmpty, "parameters have texts")
        }
        let (memory, time) = (hash.memory, hash.estimatedTime)
        try require(memory.bytes >= 0 && time >= .zero, "costs are not negative: \(memory), \(time)")
        for count in [0, 13, 4096, 1 << 20] {
            let cost = hash.stored.computationCost(passwordByteCount: count)
            try require(cost.memory >= memory && cost.time >= time, "a longer password costs no less")
        }
    }

    /// Texts that differ by a zero before a number, or by something around them, are other hashes or none.
    func checkNeighbors(of text: [UInt8]) throws {
        let numbers = text.indices.filter { index in
            0x30...0x39 ~= text[index] && (index == 0 || !(0x30...0x39 ~= text[index - 1]))
        }
        var neighbors = [text + [UInt8(ascii: "=")], text + [UInt8(ascii: "$")], [0x20] + text, text + [10]]
        for index in numbers.prefix(8) {
            var neighbor = text
            neighbor.insert(UInt8(ascii: "0"), at: index)
            neighbors.append(neighbor)
        }
        for neighbor in neighbors {
            guard let text = String(input: neighbor), let hash = try? PasswordHash(text) else { continue }
            try require(hash.description == text, "a hash has exactly one text: \(text)")
        }
    }

    func verify(_ hash: PasswordHash) throws {
        switch Result(catching: { () throws(PasswordError) in try context.matches(password, hash) }) {
        case .success(let matches):
            try requireEqual(try? context.matches(password, hash), matches, "a verdict is repeatable")
        case .failure(let error):
            try require("\(error)".utf8.count < 200, "an error is short: \(error)")
        }
    }

    func layer(over hash: PasswordHash) throws {
        guard let layered = try? context.layer(over: hash) else { return }
        let parsed = try requireSuccess("a layered hash parses") { () throws(PasswordError) in
            try PasswordHash(layered)
        }
        try require(parsed.isLayered && context.mightHaveLayered(parsed, over: hash), "it is over this hash")
        try requireEqual("\(parsed)", layered, "a layered hash has exactly one text")
        guard let before = try? context.matches(password, hash) else { return }
        try requireEqual(try? context.matches(password, parsed), before, "layering changes no verdict")
    }
}
