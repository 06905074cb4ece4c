// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitServer
import CredKitTestSupport
import Testing

/// Many logins that wait at once.
@Suite struct StormTests {
    /// Schemes for each of the kernels that have lanes, and one without.
    enum Scheme: String, CaseIterable {
        case pbkdf2SHA256, pbkdf2SHA512, sha256Crypt, sha512Crypt, bcrypt, scrypt, argon2id

        var parameters: PasswordParameters {
            get throws {
                switch self {
                case .pbkdf2SHA256: try .pbkdf2SHA256(iterations: 20_000)
                case .pbkdf2SHA512: try .pbkdf2SHA512(iterations: 10_000)
                case .sha256Crypt: try .sha256Crypt(rounds: 20_000)
                case .sha512Crypt: try .sha512Crypt(rounds: 20_000)
                case .bcrypt: try .bcrypt(cost: 6)
                case .scrypt: try .scrypt(logN: 11)
                case .argon2id: try .argon2id(memory: .mebibytes(1), passes: 1)
                }
            }
        }
    }

    private static func service(
        _ context: PasswordContext,
        _ configure: (inout PasswordService.Configuration) -> Void = { _ in }
    ) throws -> PasswordService {
        var configuration = PasswordService.Configuration()
        configuration.concurrency = 2
        configuration.waitLimit = .seconds(1000)
        configure(&configuration)
        return try PasswordService(context: context, configuration: configuration)
    }

    private static func context(_ parameters: PasswordParameters) throws -> PasswordContext {
        try PasswordContext(policy: PasswordPolicy(preferred: parameters))
    }

    /// Verifies right and wrong passwords of known and unknown users at once, and expects the answers that each alone gets.
    private func expectAnswers(
        _ service: PasswordService,
        _ hashes: [String],
        count: Int,
        _ name: String
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                let hash = index % 5 == 4 ? nil : hashes[index % hashes.count]
                let isRight = index.isMultiple(of: 2)
                group.addTask {
                    let answer = try? await service.verify(
                        isRight ? "secret" : "wrong",
                        against: hash,
                        account: "\(index)",
                        clientAddress: "192.0.2.\(index % 3)"
                    )
                    #expect(answer?.isMatch == (isRight && hash != nil), "\(name), \(hash ?? "unknown")")
                }
            }
        }
        let load = await service.load
        #expect(load.running == 0 && load.waiting == 0, "\(name)")
    }

    @Test(arguments: StormTests.Scheme.allCases)
    func allGetTheAnswersOfOneByOne(scheme: Scheme) async throws {
        let context = try Self.context(scheme.parameters)
        let hashes = try (0..<3).map { _ in try context.hash("secret") }
        for hides in [true, false] {
            let service = try Self.service(context) { $0.hidesUnknownUsers = hides }
            await expectAnswers(service, hashes, count: TestForm.isDeep ? 60 : 20, "\(scheme)")
        }
    }

    @Test func mixedTableGetsTheAnswersOfOneByOne() async throws {
        var hashes = ["$1$abc$iCQ2D3nhptRYi27fDYv2s1"]
        for scheme in Scheme.allCases {
            hashes.append(try Self.context(scheme.parameters).hash("secret"))
        }
        for preferred in try [PasswordParameters.pbkdf2SHA256(iterations: 20_000), .bcrypt(cost: 5)] {
            let service = try Self.service(Self.context(preferred))
            await expectAnswers(service, hashes, count: 40, "\(preferred)")
        }
    }

    /// The dear computations that wait behind a first one share its core.
    @Test(.enabled(if: LaneKernels.chosenForBcrypt != nil, "libxcrypt computes in this process"))
    func waitingLoginsJoinARunningOne() async throws {
        let context = try Self.context(.bcrypt(cost: 12))
        // Lanes are used where they were measured to win, which they do not under a sanitizer on a busy machine.
        guard let group = context.laneGroup(verifying: nil), group.count(of: 2) == 2 else { return }
        let service = try Self.service(context) { $0.concurrency = 1 }
        let tasks = (0..<2).map { _ in
            Task { try await service.verify("wrong", against: nil, account: nil, clientAddress: nil) }
        }
        // Both run on one core, before either can have ended.
        await eventually(service, running: 2)
        tasks[0].cancel()
        await #expect(throws: PasswordError.cancelled) { _ = try await tasks[0].value }
        #expect(try await tasks[1].value == .mismatch)
    }

    @Test func memoryOfLanesStaysWithinTheBudget() async throws {
        let parameters = try PasswordParameters.scrypt(logN: 13)
        let context = try Self.context(parameters)
        let service = try Self.service(context) {
            $0.concurrency = 2
            $0.memory = .bytes(3 * parameters.memory.bytes)
        }
        let watch = Task {
            var most = 0
            while !Task.isCancelled {
                most = max(most, await service.load.running)
                await Task.yield()
            }
            return most
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let answer = try? await service.verify(
                        "x",
                        against: nil,
                        account: nil,
                        clientAddress: nil
                    )
                    #expect(answer == .mismatch)
                }
            }
        }
        watch.cancel()
        #expect(await watch.value <= 3)
    }

    /// Whatever is cancelled while it waits or computes, the others get their answers, and nothing is left.
    @Test(arguments: StormTests.Scheme.allCases)
    func randomCancellationsLeaveTheOthers(scheme: Scheme) async throws {
        let context = try Self.context(scheme.parameters)
        let hash = try context.hash("secret")
        let service = try Self.service(context)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<(TestForm.isDeep ? 300 : 40) {
                group.addTask {
                    let task = Task {
                        try await service.verify("secret", against: hash, account: nil, clientAddress: nil)
                    }
                    if index.isMultiple(of: 3) {
                        for _ in 0..<Int.random(in: 0...2000) { await Task.yield() }
                        task.cancel()
                        _ = await task.result
                    } else {
                        #expect((try? await task.value)?.isMatch == true)
                    }
                }
            }
        }
        let load = await service.load
        #expect(load.running == 0 && load.waiting == 0)
    }

    /// Times that were measured beside others do not change what is expected of one alone.
    @Test func loadDoesNotShiftTheExpectedTimes() throws {
        let context = try Self.context(.pbkdf2SHA256(iterations: 1000))
        let cost = context.cost(of: nil, passwordByteCount: 0)
        var model = CostModel()
        func record(_ seconds: Double, share: Double?) {
            model.record(
                VerificationReport(
                    answer: .success(.mismatch),
                    measured: .init(cost: cost, seconds: seconds, share: share)
                )
            )
        }
        #expect(model.secondsOfCore(for: cost) == cost.estimatedSeconds)
        record(0.04, share: nil)
        for _ in 0..<50 { record(0.05, share: 0.025) }
        #expect(model.seconds(of: cost) == 0.04)
        #expect(model.expectedSeconds(of: cost) == 0.04)
        // What one of many takes from its core is less, and it ends later.
        #expect(model.secondsOfCore(for: cost) == 0.025)
        #expect(model.secondsBesideOthers(of: cost) == 0.05)
    }

    /// The wait that hides a dear kind is long enough for what it takes beside others.
    @Test func rejectionsWaitForTheDearestKindInLanes() throws {
        let dear = try PasswordHash(Self.context(.bcrypt(cost: 8)).hash("secret"))
        let context = try Self.context(.argon2id(memory: .kibibytes(64), passes: 1))
        var kinds = HashKinds()
        kinds.insert(dear, in: context)
        let cost = context.cost(of: dear, passwordByteCount: 0)
        var model = CostModel()
        for (seconds, share, longest) in [(0.25, nil, 0.25), (0.5, 0.125, 0.5)]
            as [(Double, Double?, Double)]
        {
            model.record(
                VerificationReport(
                    answer: .success(.mismatch),
                    measured: .init(cost: cost, seconds: seconds, share: share)
                )
            )
            let dearest = try #require(kinds.dearest(passwordByteCount: 0, in: context, model))
            #expect(dearest.seconds == 0.25)
            #expect(kinds.longestSeconds(lengthClass: 0, in: context, model) == longest)
        }
    }

    /// A hash that is cheaper than the policy counts as one by the policy, also before it was measured beside others.
    @Test func cheaperKindIsExpectedToTakeAsLong() throws {
        let context = try Self.context(.pbkdf2SHA256(iterations: 10_000))
        let cheaper = try PasswordHash(Self.context(.pbkdf2SHA256(iterations: 9000)).hash("secret"))
        var model = CostModel()
        for (hash, seconds, share) in [(nil, 0.04, nil), (nil, 0.05, 0.02), (cheaper, 0.036, nil)]
            as [(PasswordHash?, Double, Double?)]
        {
            model.record(
                VerificationReport(
                    answer: .success(.mismatch),
                    measured: .init(
                        cost: context.cost(of: hash, passwordByteCount: 0),
                        seconds: seconds,
                        share: share
                    )
                )
            )
        }
        for hash in [nil, cheaper] as [PasswordHash?] {
            let job = VerificationJob(
                context: context,
                hash: hash.map { .success($0) },
                equalizesTiming: true,
                costModel: model
            )
            #expect(job.expectedSeconds(for: "x") == 0.02)
        }
    }

    /// If it is hidden who exists, a login shares a core whatever its own hash is.
    @Test func kindOfAHashDoesNotDecideWhetherItWaits() async throws {
        let dear = try Self.context(.bcrypt(cost: 8)).hash("secret")
        let service = try Self.service(Self.context(.argon2id(memory: .kibibytes(64), passes: 1)))
        for hash in [dear, "$1$abc$iCQ2D3nhptRYi27fDYv2s1", "nonsense", nil] {
            let parsed = hash.map { text in
                Result { () throws(PasswordError) in try PasswordHash(text) }
            }
            let group = await service.group(verifying: parsed)
            #expect(group == nil)
        }
        try await service.prepare(for: [dear])
        let expected = try PasswordContext().laneGroup(verifying: PasswordHash(dear))
        for hash in [dear, "$1$abc$iCQ2D3nhptRYi27fDYv2s1", "nonsense", nil] {
            let parsed = hash.map { text in
                Result { () throws(PasswordError) in try PasswordHash(text) }
            }
            let group = await service.group(verifying: parsed)
            #expect(group == expected)
        }
        let open = try Self.service(PasswordContext()) { $0.hidesUnknownUsers = false }
        let own = await open.group(verifying: .success(try PasswordHash(dear)))
        #expect(own == expected)
    }

    /// A cheaper kind of other lanes would be told from unknown users by what ends beside it.
    @Test func tableWithOtherLanesSharesNoCore() async throws {
        let context = try Self.context(.bcrypt(cost: 10))
        let same = try Self.context(.bcrypt(cost: 5)).hash("secret")
        let other = try Self.context(.pbkdf2SHA256(iterations: 60_000)).hash("secret")
        let service = try Self.service(context)
        try await service.prepare(for: [same])
        let group = await service.group(verifying: nil)
        #expect(group == context.laneGroup(verifying: nil))
        try await service.prepare(for: [same, other])
        let none = await service.group(verifying: nil)
        #expect(none == nil)
    }

    /// Waits until a number of calls run.
    private func eventually(_ service: PasswordService, running: Int) async {
        for _ in 0..<60_000 {
            if await service.load.running >= running { return }
            try? await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("never did \(running) run")
    }
}
