// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitServer

extension PasswordService {
    fileprivate func hash(_ password: String) async throws(PasswordError) -> String {
        try await hash(password, clientAddress: nil)
    }

    fileprivate func verify(
        _ password: some SecretInput & Sendable,
        against hash: String?
    ) async throws(PasswordError) -> PasswordVerification {
        try await verify(password, against: hash, account: nil, clientAddress: nil)
    }
}

final class PasswordServiceTests: XCTestCase {
    /// A hash of "secret".
    private let weak = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"

    private func context(memoryKiB: Int = 1024, passes: Int = 1) throws -> PasswordContext {
        try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(memoryKiB), passes: passes))
        )
    }

    private func service(
        _ context: PasswordContext,
        _ configure: (inout PasswordService.Configuration) -> Void = { _ in }
    ) throws -> PasswordService {
        var configuration = PasswordService.Configuration()
        configure(&configuration)
        return try PasswordService(context: context, configuration: configuration)
    }

    /// Creates a service whose single computation lasts long enough for other calls to arrive meanwhile.
    private func busyService(
        _ configure: (inout PasswordService.Configuration) -> Void
    ) throws -> PasswordService { try service(context(memoryKiB: 65536, passes: 12), configure) }

    /// Waits until a number of calls run and wait, for a minute at most.
    private func eventually(_ service: PasswordService, running: Int, waiting: Int = 0) async {
        for _ in 0..<60_000 {
            let load = await service.load
            if load.running >= running, load.waiting >= waiting { return }
            try? await Task.sleep(for: .milliseconds(1))
        }
        XCTFail("never did \(running) run and \(waiting) wait")
    }

    private func error(_ body: () async throws -> Void) async -> PasswordError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PasswordError
        }
    }

    func testServiceAnswersAsAHasherDoes() async throws {
        let service = try service(context())
        let record = try await service.hash("secret")
        var answer = try await service.verify("secret", against: record)
        XCTAssertEqual(answer, .match(rehashed: nil))
        answer = try await service.verify("wrong", against: record)
        XCTAssertEqual(answer, .mismatch)
        answer = try await service.verify("secret", against: nil)
        XCTAssertEqual(answer, .mismatch)
        answer = try await service.verify("wrong", against: weak)
        XCTAssertEqual(answer, .mismatch)
        guard case .match(let upgraded?) = try await service.verify("secret", against: weak) else {
            return XCTFail("no upgrade")
        }
        answer = try await service.verify(SecretBytes("secret"), against: upgraded)
        XCTAssertEqual(answer, .match(rehashed: nil))
    }

    func testUnknownUserAndWeakHashCostAFullComputation() async throws {
        let context = try context()
        let record = try context.hash("secret")
        for hides in [true, false] {
            for (stored, calls) in [
                (record, (1, 1)), (nil, (1, 0)), (weak, (2, 1)), ("nonsense", (1, 0)), ("$1$", (1, 0)),
            ] {
                // A new service each time, so that none has measured anything yet.
                let service = try service(context) { $0.hidesUnknownUsers = hides }
                let before = BackendCalls.count
                _ = try? await service.verify("wrong", against: stored)
                XCTAssertEqual(BackendCalls.count - before, hides ? calls.0 : calls.1, stored ?? "unknown")
            }
        }
    }

    /// On a clock that stands still, computations take no time, so that all waits are those of the rejections.
    func testAllRejectionsWaitForTheDearestKind() async throws {
        let dear = try PasswordContext(
            policy: PasswordPolicy(preferred: .pbkdf2SHA256(iterations: 1_000_000))
        )
        .hash("secret")
        let policy = try context(memoryKiB: 16384)
        let record = try policy.hash("secret")
        let clock = ManualClock()
        let service = try PasswordService(context: policy, clock: clock)
        func wait(_ stored: String?, _ password: String = "wrong") async throws -> Duration {
            let start = clock.now.elapsed
            let task = Task {
                try? await service.verify(password, against: stored, account: nil, clientAddress: nil)
            }
            let ended = Task {
                _ = await task.value
                return true
            }
            let isWaiting = Task {
                while !Task.isCancelled {
                    if clock.sleeperCount > 0 { clock.advance(by: .microseconds(100)) }
                    await Task.yield()
                }
            }
            _ = await ended.value
            isWaiting.cancel()
            await isWaiting.value
            return clock.now.elapsed - start
        }
        // With the policy's kind alone, nothing waits.
        for stored in [nil, record, "nonsense"] {
            let waited = try await wait(stored)
            XCTAssertEqual(waited, .zero, stored ?? "unknown")
        }
        // A cheaper one shows in how much the times vary.
        for stored in [weak, nil, record, "nonsense"] {
            let waited = try await wait(stored)
            XCTAssertGreaterThan(waited, .zero, stored ?? "unknown")
        }
        let kind = try await service.prepare(for: [record, weak, dear, "nonsense"])
        let rejection = try XCTUnwrap(kind).rejection
        XCTAssertGreaterThan(rejection, try XCTUnwrap(kind).policy)
        for stored in [nil, record, weak, dear, "nonsense"] {
            let waited = try await wait(stored)
            // Each verification is a sample of the median.
            XCTAssertEqual(waited / rejection, 1, accuracy: 0.9, stored ?? "unknown")
            XCTAssertGreaterThan(waited, .zero)
        }
        let match = try await wait(dear, "secret")
        XCTAssertEqual(match, .zero)
        // The dear kind is gone.
        let none = try await service.prepare(for: [record])
        XCTAssertNil(none)
        let waited = try await wait(nil)
        XCTAssertEqual(waited, .zero)
        // A kind that was not named counts from its first verification on.
        _ = try await wait(dear)
        let learned = try await wait(nil)
        XCTAssertGreaterThan(learned, .zero)
    }

    /// An interval that followed each sample would show for whom there are samples.
    func testIntervalOfRejectionsStays() {
        var interval = PasswordService.RejectionInterval()
        for (dearest, seconds) in [
            (0.1, 0.375), (0.12, 0.375), (0.07, 0.375), (0.126, 0.4725), (0.08, 0.4725), (0.04, 0.15),
        ] {
            XCTAssertEqual(interval.seconds(dearest: dearest), seconds, accuracy: 1e-9, "\(dearest)")
        }
    }

    /// Lengths in turn would otherwise set the interval anew with each password.
    func testIntervalOfRejectionsDependsOnTheClassOfLengths() throws {
        let context = try context()
        var kinds = HashKinds()
        kinds.insert(
            try PasswordHash("$5$rounds=656000$saltsalt$" + String(repeating: "/", count: 43)),
            in: context
        )
        for length in [0, 15, 16, 71, 256, 511] {
            let lengthClass = context.cost(of: nil, passwordByteCount: length).lengthClass
            let dearest = kinds.dearest(passwordByteCount: length, in: context, CostModel())
            let longest = kinds.longestSeconds(lengthClass: lengthClass, in: context, CostModel())
            XCTAssertGreaterThanOrEqual(try XCTUnwrap(longest), try XCTUnwrap(dearest).seconds, "\(length)")
        }
    }

    /// Of a password that crypt(3) does not accept, that kind computes nothing.
    func testKindsThatRefuseAPasswordAreNotWaitedFor() async throws {
        let context = try context()
        let crypt = try PasswordHash(
            "$6$rounds=656000$saltsaltsaltsalt$nozu4aSZ9tvfyqr8kV.PwuNYpJaa6RCOb1XRcivY.S4HEWnm/pcZbgbhIR2EeRNbUrMigQuyF/KzM9qzoEvpz0"
        )
        for (count, isComputed) in [(0, true), (511, true), (512, false), (4096, false)] {
            XCTAssertEqual(context.computes(crypt, passwordByteCount: count), isComputed, "\(count)")
        }
        var kinds = HashKinds()
        kinds.insert(crypt, in: context)
        XCTAssertNotNil(kinds.dearest(passwordByteCount: 511, in: context, CostModel()))
        XCTAssertNil(kinds.dearest(passwordByteCount: 512, in: context, CostModel()))
    }

    func testKindsThatCannotBeVerifiedAreIgnored() async throws {
        let service = try service(context())
        let kind = try await service.prepare(for: [
            "$pbkdf2-sha256$i=2000000000$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "pbkdf2_sha256$2000000000$salt$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        ])
        XCTAssertNil(kind)
        let hidden = try self.service(context()) { $0.hidesUnknownUsers = false }
        let unhidden = try await hidden.prepare(for: [
            "$2b$10$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u"
        ])
        XCTAssertNil(unhidden)
    }

    func testMissingWorkIsEstimatedFirstThenMeasured() async throws {
        // Half the passes, so half the work.
        let full = try context(memoryKiB: 8192, passes: 4)
        let half = try context(memoryKiB: 8192, passes: 2).hash("secret")
        let hash = try PasswordHash(half)
        let whole = full.cost(of: nil, passwordByteCount: 6)
        let measured = VerificationReport.Measurement(
            cost: full.cost(of: hash, passwordByteCount: 6),
            seconds: 0.03
        )
        XCTAssertTrue(whole.isPreferred)
        XCTAssertFalse(measured.cost.isPreferred)
        func share(_ costModel: CostModel) -> Double {
            VerificationJob(context: full, hash: .success(hash), equalizesTiming: true, costModel: costModel)
                .missingShare(
                    measured,
                    whole
                )
        }
        var costModel = CostModel()
        XCTAssertEqual(share(costModel), 0.5, accuracy: 0.001)
        // A whole computation takes 40 ms and this one 30 ms, so a quarter is missing.
        costModel.record(
            VerificationReport(answer: .success(.mismatch), measured: .init(cost: whole, seconds: 0.04))
        )
        XCTAssertEqual(share(costModel), 0.25, accuracy: 0.001)
        // A part of 0.25 takes only 8 ms, so the part must be larger.
        var topped = measured
        topped.topUp = .init(share: 0.25, seconds: 0.008, preferred: whole)
        costModel.record(VerificationReport(answer: .success(.mismatch), measured: topped))
        XCTAssertEqual(share(costModel), 0.3125, accuracy: 0.001)
    }

    func testTimesAreNormalizedToAnEmptyPassword() throws {
        // SHA-crypt takes longer with a long password, and so does the top-up work after other hashes.
        let context = try PasswordContext(policy: PasswordPolicy(preferred: .sha512Crypt(rounds: 10_000)))
        let bcrypt = try PasswordHash("$2b$04$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u")
        let lengths = [200, 250]
        let (whole, cost) = (
            lengths.map { context.cost(of: nil, passwordByteCount: $0) },
            lengths.map { context.cost(of: bcrypt, passwordByteCount: $0) }
        )
        XCTAssertEqual(cost[0].lengthFactor, 1)
        XCTAssertGreaterThan(whole[1].lengthFactor / whole[0].lengthFactor, 1.1)
        var costModel = CostModel()
        costModel.record(
            VerificationReport(answer: .success(.mismatch), measured: .init(cost: whole[0], seconds: 0.04))
        )
        let topUp = VerificationReport.Measurement.TopUp(share: 0.5, seconds: 0.02, preferred: whole[0])
        costModel.record(
            VerificationReport(
                answer: .success(.mismatch),
                measured: .init(cost: cost[0], seconds: 0.01, topUp: topUp)
            )
        )
        let ratio = whole[1].lengthFactor / whole[0].lengthFactor
        XCTAssertEqual(try XCTUnwrap(costModel.seconds(of: whole[1])), 0.04 * ratio, accuracy: 1e-6)
        XCTAssertEqual(
            try XCTUnwrap(costModel.secondsOfWhole(beside: cost[1], of: whole[1])),
            0.04 * ratio,
            accuracy: 1e-6
        )
        XCTAssertEqual(try XCTUnwrap(costModel.seconds(of: cost[1])), 0.01, accuracy: 1e-6)
        // A short password costs less.
        XCTAssertNil(costModel.seconds(of: context.cost(of: nil, passwordByteCount: 6)))
    }

    func testClientsTakeTurns() async throws {
        let service = try busyService {
            $0.concurrency = 1
            $0.queueLimitPerClient = 3
            $0.queueLimitPerAccount = 2
            $0.waitLimit = .seconds(1000)
        }
        let order = Lock<[String]>([])
        func begin(_ account: String, _ client: String) async -> Task<Void, any Error> {
            let before = await service.load
            let task = Task {
                _ = try await service.verify("x", against: nil, account: account, clientAddress: client)
                order.withLock { $0.append(client) }
            }
            await eventually(service, running: 1, waiting: before.running == 0 ? 0 : before.waiting + 1)
            return task
        }
        var tasks = [await begin("first", "flood")]
        for account in ["a", "b", "c"] { tasks.append(await begin(account, "flood")) }
        // The fourth of one client, and the third of one account.
        for (account, client) in [("d", "flood"), ("e", "other")] {
            if account == "e" { for _ in 0..<2 { tasks.append(await begin(account, "other")) } }
            let error = await error {
                _ = try await service.verify("x", against: nil, account: account, clientAddress: client)
            }
            XCTAssertEqual(error, .busy)
        }
        for task in tasks { try await task.value }
        XCTAssertEqual(order.withLock { $0 }, ["flood", "other", "flood", "other", "flood", "flood"])
    }

    func testCallIsRefusedAtOnceIfItWouldWaitForTooLong() async throws {
        let service = try busyService {
            $0.concurrency = 1
            // Less than one computation takes, and more than none.
            $0.waitLimit = .milliseconds(1)
        }
        let first = Task { try await service.verify("secret", against: nil) }
        await eventually(service, running: 1)
        let second = Task { try await service.verify("secret", against: nil) }
        await eventually(service, running: 1, waiting: 1)
        let error = await error { _ = try await service.verify("secret", against: nil) }
        XCTAssertEqual(error, .busy)
        let wait = await service.unavailability(account: "alice", clientAddress: "192.0.2.1")
        // Nothing waits before another client, and nothing runs for it.
        XCTAssertNil(wait)
        _ = try await (first.value, second.value)
        // The queue is empty: whatever it takes, it is done.
        let answer = try await service.verify("secret", against: nil)
        XCTAssertEqual(answer, .mismatch)
    }

    /// A full queue costs an account none of its attempts.
    func testRefusedLoginsDoNotCount() async throws {
        let service = try busyService {
            $0.concurrency = 1
            $0.queueLimit = 0
        }
        let logins = try LoginService(
            accounts: InMemoryAccounts([]),
            mechanisms: [.password(service)],
            storage: .memory(isFirstStart: true)
        )
        let attempt = LoginAttempt(username: "alice", response: "x", clientAddress: "192.0.2.1")
        let first = Task { try await service.verify("secret", against: nil) }
        await eventually(service, running: 1)
        for _ in 0..<50 {
            let decision = try await logins.logIn(with: PasswordMechanism.name, attempt)
            XCTAssertEqual(decision, .unavailable(retryAfter: .seconds(2)))
        }
        _ = try await first.value
        let decision = try await logins.logIn(with: PasswordMechanism.name, attempt)
        XCTAssertEqual(decision, .rejected)
    }

    func testErrorsAreThrown() async throws {
        let service = try service(context())
        for (stored, expected) in [
            ("nonsense", PasswordError.unrecognized), ("$1$", .malformed),
            ("$argon2d$v=19$m=8,t=1,p=1,keyid=QUJD$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", .unsupported),
            ("$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", .overLimit),
        ] {
            let error = await error { _ = try await service.verify("secret", against: stored) }
            XCTAssertEqual(error, expected, stored)
        }
    }

    func testOverlongPasswordIsRefusedForEveryUser() async throws {
        let service = try service(context())
        let record = try await service.hash("secret")
        for stored in [record, weak, nil, "nonsense"] {
            let error = await error {
                _ = try await service.verify(String(repeating: "x", count: 4097), against: stored)
            }
            XCTAssertEqual(error, .passwordTooLong)
        }
    }

    func testPasswordUnsupportedByOneSchemeRevealsNothing() async throws {
        let service = try service(context())
        let slow =
            "$6$rounds=656000$abc$.beQ97nf1P5y5S31LjwdL3n2yPxhA4SoUE5TA9iqjZn7dlGlQ5vBASA3Zn7tCPjc58Gx5rPc3HO3vKyWt5OTA0"
        for password in ["a\0b", String(repeating: "x", count: 600), String(repeating: "x", count: 4096)] {
            for stored in [weak, slow, nil] {
                let answer = try await service.verify(password, against: stored)
                XCTAssertEqual(answer, .mismatch)
            }
        }
    }

    func testCallIsRefusedAtOnceWhenTheQueueIsFull() async throws {
        let service = try busyService {
            $0.concurrency = 1
            $0.queueLimit = 3
            $0.waitLimit = .seconds(1000)
        }
        let first = Task { try await service.verify("secret", against: nil) }
        await eventually(service, running: 1)
        let waiting = (0..<3).map { _ in Task { try await service.verify("secret", against: nil) } }
        await eventually(service, running: 1, waiting: 3)
        for _ in 0..<16 {
            let error = await error { _ = try await service.verify("secret", against: nil) }
            XCTAssertEqual(error, .busy)
        }
        for task in [first] + waiting {
            let answer = try await task.value
            XCTAssertEqual(answer, .mismatch)
        }
        let load = await service.load
        XCTAssertEqual(load.running, 0)
        XCTAssertEqual(load.waiting, 0)
    }

    func testCancelledTasksLeaveTheQueue() async throws {
        let service = try busyService {
            $0.concurrency = 1
            $0.waitLimit = .seconds(1000)
        }
        let first = Task { try await service.verify("secret", against: nil) }
        await eventually(service, running: 1)
        let waiting = (0..<10).map { _ in Task { try await service.verify("secret", against: nil) } }
        await eventually(service, running: 1, waiting: 10)
        for task in waiting.dropLast() { task.cancel() }
        for task in waiting.dropLast() {
            let error = await error { _ = try await task.value }
            XCTAssertEqual(error, .cancelled)
        }
        _ = try await first.value
        let last = try await waiting[9].value
        XCTAssertEqual(last, .mismatch)
        let load = await service.load
        XCTAssertEqual(load.running + load.waiting, 0)

        let cancelled = Task {
            try? await Task.sleep(for: .seconds(10))
            return try await service.hash("secret")
        }
        cancelled.cancel()
        let error = await error { _ = try await cancelled.value }
        XCTAssertEqual(error, .cancelled)
    }

    func testCancellationEndsARunningComputation() async throws {
        let service = try PasswordService(
            context: PasswordContext(
                policy: PasswordPolicy(preferred: .argon2id(memory: .mebibytes(128), passes: 90))
            )
        )
        let hash = Task { try await service.hash("secret") }
        let verification = Task { try await service.verify("secret", against: nil) }
        await eventually(service, running: 2)
        hash.cancel()
        verification.cancel()
        let errors = [
            await error { _ = try await hash.value }, await error { _ = try await verification.value },
        ]
        XCTAssertEqual(errors, [.cancelled, .cancelled])
        let load = await service.load
        XCTAssertEqual(load.running + load.waiting, 0)
    }

    func testManyTasksWithRandomCancellationAllEnd() async throws {
        let service = try service(context(memoryKiB: 64)) { $0.queueLimit = 50 }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let task = Task { try await service.verify("secret", against: nil) }
                    if index.isMultiple(of: 3) { task.cancel() }
                    if index.isMultiple(of: 7) {
                        await Task.yield()
                        task.cancel()
                    }
                    _ = await task.result
                }
            }
        }
        let load = await service.load
        XCTAssertEqual(load.running, 0)
        XCTAssertEqual(load.waiting, 0)
    }

    func testMemoryBudgetLimitsConcurrency() async throws {
        let service = try service(context(memoryKiB: 8192, passes: 2)) {
            $0.memory = .mebibytes(20)
            $0.concurrency = 16
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
            for _ in 0..<40 {
                group.addTask { _ = try? await service.verify("secret", against: nil) }
            }
        }
        watch.cancel()
        let most = await watch.value
        XCTAssertEqual(most, 2)
    }

    func testHashOverTheLimitDelaysNoOtherCall() async throws {
        let service = try busyService { $0.concurrency = 2 }
        let first = Task { try await service.verify("secret", against: nil) }
        await eventually(service, running: 1)
        let huge = "$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA"
        let second = Task { try await service.verify("secret", against: huge) }
        // It runs beside the first, and does not wait for the whole budget.
        await eventually(service, running: 2)
        _ = try await first.value
        let error = await error { _ = try await second.value }
        XCTAssertEqual(error, .overLimit)
    }

    func testTopUpFollowsThePolicy() throws {
        for parameters in [
            try PasswordParameters.argon2id(memory: .kibibytes(1024), passes: 1), try .scrypt(logN: 8),
            try .bcrypt(cost: 6),
            try .yescrypt(cost: 6), try .pbkdf2SHA256(iterations: 1000), try .sha512Crypt(rounds: 5000),
        ] {
            let context = try PasswordContext(policy: PasswordPolicy(preferred: parameters))
            let before = BackendCalls.count
            XCTAssertEqual(context.spend(1, on: "secret"), 1)
            // crypt(3) and all other backends compute in one call.
            XCTAssertEqual(BackendCalls.count - before, 1, "\(parameters)")
            XCTAssertEqual(context.spend(0.5, on: "secret"), 0.5, accuracy: 0.02, "\(parameters)")
            XCTAssertEqual(context.spend(0.000001, on: "secret"), 0, "\(parameters)")
            XCTAssertEqual(context.spend(-1, on: "secret"), 0)
            let own = try PasswordHash(context.hash("secret"))
            XCTAssertTrue(context.cost(of: own, passwordByteCount: 6).isPreferred, "\(parameters)")
        }
    }

    func testInvalidConfigurationIsRefused() throws {
        for (configure, expected) in [
            ({ $0.memory = .mebibytes(1) }, PasswordError.overLimit),
            ({ $0.concurrency = 0 }, .invalidParameters),
            ({ $0.queueLimit = -1 }, .invalidParameters),
            ({ $0.waitLimit = .seconds(-1) }, .invalidParameters),
            ({ $0.queueLimitPerClient = -1 }, .invalidParameters),
            ({ $0.queueLimitPerAccount = -1 }, .invalidParameters),
        ] as [((inout PasswordService.Configuration) -> Void, PasswordError)] {
            XCTAssertThrowsError(try service(context(memoryKiB: 2048), configure)) {
                XCTAssertEqual($0 as? PasswordError, expected)
            }
        }
    }
}
