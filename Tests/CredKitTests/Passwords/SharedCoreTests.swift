// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitSystem
import CredKitTestSupport
import Testing

/// Computations that share a core, on threads.
@Suite struct SharedCoreTests {
    /// Hashes of "secret" of the four kinds that have lanes, with different costs, notations and lengths of keys.
    static func parameters() throws -> [PasswordParameters] {
        try [
            .pbkdf2SHA256(iterations: 3000), .pbkdf2SHA256(iterations: 20_000),
            .pbkdf2SHA512(iterations: 5000), PasswordParameters(.scramSHA256, costs: ["iterations": 5000]),
            .sha256Crypt(rounds: 2000),
            .sha512Crypt(rounds: 1000), .sha512Crypt(rounds: 9000), .bcrypt(cost: 4), .bcrypt(cost: 6),
            .scrypt(logN: 10), .scrypt(logN: 12), .scrypt(logN: 10, parallelism: 3),
            .argon2id(memory: .kibibytes(512), passes: 1),
        ]
    }

    /// Runs computations on one core, each on a thread, and returns their results in order.
    private static func run<Value: Sendable>(
        _ bodies: [@Sendable (Interruption) -> Value]
    ) async -> [Value?] {
        let core = SharedCore()
        // All are announced before the first begins.
        let seats = bodies.map { _ in core.expect() }
        return await withTaskGroup(of: (Int, Value?).self) { group in
            for (index, (body, seat)) in zip(bodies, seats).enumerated() {
                group.addTask {
                    let value = await DetachedThread.value {
                        seat.begin()
                        defer { seat.end() }
                        return body(Interruption(seat: seat))
                    }
                    return (index, value)
                }
            }
            var values = [Value?](repeating: nil, count: bodies.count)
            for await (index, value) in group { values[index] = value }
            return values
        }
    }

    @Test func randomMixturesVerifyAsOneByOne() async throws {
        var hashes: [String] = []
        for parameters in try Self.parameters() {
            hashes.append(try PasswordContext(policy: PasswordPolicy(preferred: parameters)).hash("secret"))
        }
        let context = PasswordContext()
        for _ in 0..<(TestForm.isDeep ? 100 : 6) {
            let cases = (0..<Int.random(in: 1...9)).map { _ in (hashes.randomElement() ?? "", Bool.random()) }
            let results = await Self.run(
                cases.map { text, isRight in
                    { @Sendable (interruption: Interruption) -> Bool? in
                        let context = PasswordContext(context, interruption: interruption)
                        return try? context.matches(isRight ? "secret" : "wrong", PasswordHash(text))
                    }
                }
            )
            for ((text, isRight), result) in zip(cases, results) { #expect(result == isRight, "\(text)") }
        }
    }

    @Test func newHashesAreThoseOfTheBackends() async throws {
        for parameters in try Self.parameters() {
            let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
            let texts = await Self.run(
                (0..<3).map { _ in
                    { @Sendable (interruption: Interruption) -> String? in
                        try? PasswordContext(context, interruption: interruption).hash("secret")
                    }
                }
            )
            for text in texts {
                let text = try #require(text.flatMap { $0 }, "\(parameters)")
                #expect(try context.verify("secret", against: text) == .match(rehashed: nil), "\(parameters)")
                #expect(try context.verify("wrong", against: text) == .mismatch, "\(parameters)")
            }
        }
    }

    /// Bytes beyond ASCII, of which each variant of bcrypt makes something else.
    @Test func variantsOfBcryptAreThoseOfLibxcrypt() async throws {
        let context = PasswordContext()
        for password in [[0xFF, 0xFF, 0xA3], [0x61, 0xA3, 0x62], [0x61]] as [[UInt8]] {
            var texts: [String] = []
            for variant in ["2a", "2b", "2x", "2y"] {
                let text = try UnixCrypt.hash(
                    password.span,
                    setting: "$\(variant)$04$abcdefghijklmnopqrstuu"
                )
                texts.append(String(decoding: text.copiedBytes, as: UTF8.self))
            }
            let differences = Set(texts.map { $0.suffix(31) }).count
            #expect(differences == (password.count > 1 ? 2 : 1), "\(password)")
            let results = await Self.run(
                texts.map { text in
                    { @Sendable (interruption: Interruption) -> Bool? in
                        let context = PasswordContext(context, interruption: interruption)
                        return try? context.matches(password, PasswordHash(text))
                    }
                }
            )
            for (text, result) in zip(texts, results) {
                #expect(result == true, "\(text), \(password)")
                // Beside a login by the policy, none of them is told from it.
                let group = try context.laneGroup(verifying: PasswordHash(text))
                #expect(group == LaneKernels.chosenForBcrypt?.group)
            }
        }
    }

    /// A cheap computation, a dear one that is cancelled when the cheap one is done, and another dear one.
    @Test(.enabled(if: LaneKernels(PBKDF2.Function.sha256) != nil, "OpenSSL computes in this process"))
    func cancelledComputationLeavesTheOthers() async throws {
        for (cheap, dear) in try [
            (
                PasswordParameters.pbkdf2SHA256(iterations: 1000),
                PasswordParameters.pbkdf2SHA256(iterations: 1_000_000)
            ),
            (.sha512Crypt(rounds: 1000), .sha512Crypt(rounds: 1_000_000)),
            (.bcrypt(cost: 4), .bcrypt(cost: 11)),
        ] {
            let context = PasswordContext()
            let (cheapHash, dearHash) = try (
                PasswordHash(PasswordContext(policy: PasswordPolicy(preferred: cheap)).hash("secret")),
                PasswordHash(PasswordContext(policy: PasswordPolicy(preferred: dear)).hash("secret"))
            )
            let cancelled = Lock<Interruption?>(nil)
            @Sendable func verify(_ hash: PasswordHash, _ interruption: Interruption) -> Result<
                Bool, PasswordError
            > {
                Result { () throws(PasswordError) in
                    try PasswordContext(context, interruption: interruption).matches("secret", hash)
                }
            }
            let results = await Self.run([
                { @Sendable interruption in
                    var result = verify(cheapHash, interruption)
                    // Whenever it waits in a lane, the others have their turns.
                    while cancelled.withLock({ $0 }) == nil { result = verify(cheapHash, interruption) }
                    cancelled.withLock { $0?.raise() }
                    return result
                },
                { @Sendable interruption in
                    cancelled.withLock { $0 = interruption }
                    return verify(dearHash, interruption)
                },
                { @Sendable interruption in verify(dearHash, interruption) },
            ])
            let expected: [Result<Bool, PasswordError>?] = [
                .success(true), .failure(.cancelled), .success(true),
            ]
            #expect(results == expected, "\(dear)")
        }
    }

    @Test(.enabled(if: LaneKernels(PBKDF2.Function.sha256) != nil, "OpenSSL computes in this process"))
    func timeBesideOthersIsShared() async throws {
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .pbkdf2SHA256(iterations: 100_000))
        )
        let hash = try PasswordHash(context.hash("secret"))
        func times(_ count: Int) async -> [ComputedTime] {
            await Self.run(
                (0..<count).map { _ in
                    { @Sendable (interruption: Interruption) -> ComputedTime in
                        let start = interruption.time
                        _ = try? PasswordContext(context, interruption: interruption).matches("secret", hash)
                        return interruption.time - start
                    }
                }
            ).compactMap { $0 }
        }
        for time in await times(1) {
            #expect(!time.isShared)
            #expect(abs(time.seconds - time.share) < 1e-9)
        }
        for time in await times(3) {
            #expect(time.isShared)
            #expect(time.share < time.seconds && time.share > 0)
        }
    }

    @Test func groupsSayHowManyAreBestDoneAtOnce() throws {
        let group = LaneGroup(name: "any", joining: .anytime, counts: [1, 1, 3])
        #expect([0, 1, 2, 3, 9].map { group.count(of: $0) } == ([1, 1, 1, 3, 3] as [Int]))
        for parameters in try Self.parameters() {
            let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
            guard let group = context.laneGroup(verifying: nil) else { continue }
            #expect(group.count(of: 1) == 1)
            #expect((2...20).allSatisfy { 1...min(8, $0) ~= group.count(of: $0) }, "\(group)")
            // A stored hash of the same scheme has the same group, whatever its other costs are.
            #expect(try context.laneGroup(verifying: PasswordHash(context.hash("secret"))) == group)
        }
        #expect(
            try PasswordContext().laneGroup(verifying: PasswordHash("$1$abc$iCQ2D3nhptRYi27fDYv2s1")) == nil
        )
        #expect(PasswordContext().laneGroup(verifying: nil) == nil)
    }
}
