// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

final class PasswordServiceTests: XCTestCase {
    /// A hash of "secret".
    private let weak = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"

    private func hasher(memoryKiB: Int = 1024, passes: Int = 1) throws -> PasswordHasher {
        try PasswordHasher(policy: PasswordPolicy(preferred: .argon2id(memoryKiB: memoryKiB, passes: passes)))
    }

    private func service(
        _ hasher: PasswordHasher,
        _ configure: (inout PasswordService.Configuration) -> Void = { _ in }
    ) throws -> PasswordService {
        var configuration = PasswordService.Configuration()
        configure(&configuration)
        return try PasswordService(hasher: hasher, configuration: configuration)
    }

    private func error(_ body: () async throws -> Void) async -> PasswordError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PasswordError
        }
    }

    func testItAnswersAsAHasherDoes() async throws {
        let service = try service(hasher())
        let record = try await service.hash("secret")
        var answer = try await service.verify("secret", against: record)
        XCTAssertEqual(answer, .match(upgraded: nil))
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
        XCTAssertEqual(answer, .match(upgraded: nil))
    }

    func testAnUnknownUserAndAWeakHashCostAWholeOne() async throws {
        let hasher = try hasher()
        for hides in [true, false] {
            let service = try service(hasher) { $0.hidesUnknownUsers = hides }
            let record = try await service.hash("secret")
            for (stored, calls) in [
                (record, (1, 1)), (nil, (1, 0)), (weak, (2, 1)), ("nonsense", (1, 0)), ("$1$", (1, 0)),
            ] {
                let before = BackendCalls.count
                _ = try? await service.verify("wrong", against: stored)
                XCTAssertEqual(BackendCalls.count - before, hides ? calls.0 : calls.1, stored ?? "nobody")
            }
        }
    }

    func testWhatIsMissingIsReckonedFirstAndMeasuredThen() async throws {
        // Half the passes, and so half the work.
        let full = try hasher(memoryKiB: 8192, passes: 4)
        let half = try hasher(memoryKiB: 8192, passes: 2).hash("secret")
        let hash = try PasswordHash(half)
        let measured = VerificationReport.Measurement(costClass: full.costClass(of: hash), seconds: 0.03)
        func share(_ times: CostTimes) -> Double {
            VerificationJob(hasher: full, hash: half, isEqualizing: true, times: times).missingShare(
                of: hash,
                measured
            )
        }
        var times = CostTimes()
        XCTAssertEqual(share(times), 0.5, accuracy: 0.001)
        // A whole takes 40 ms, this one 30: a quarter is missing.
        let whole = VerificationReport.Measurement(costClass: full.preferredCostClass, seconds: 0.04)
        times.record(VerificationReport(answer: .success(.mismatch), measured: whole))
        XCTAssertEqual(share(times), 0.25, accuracy: 0.001)
        // A part of 0.25 turns out to take 8 ms only, and has to be larger.
        var topped = measured
        topped.topUp = (share: 0.25, seconds: 0.008)
        times.record(VerificationReport(answer: .success(.mismatch), measured: topped))
        XCTAssertEqual(share(times), 0.3125, accuracy: 0.001)
    }

    func testTroubleIsThrown() async throws {
        let service = try service(hasher())
        for (stored, expected) in [
            ("nonsense", PasswordError.unrecognized), ("$1$", .malformed),
            ("$argon2d$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA", .unsupported),
            ("$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA", .overLimit),
        ] {
            let error = await error { _ = try await service.verify("secret", against: stored) }
            XCTAssertEqual(error, expected, stored)
        }
    }

    func testAPasswordThatIsTooLongIsSoForEverybody() async throws {
        let service = try service(hasher())
        let record = try await service.hash("secret")
        for stored in [record, weak, nil, "nonsense"] {
            let error = await error {
                _ = try await service.verify(String(repeating: "x", count: 4097), against: stored)
            }
            XCTAssertEqual(error, .passwordTooLong)
        }
    }

    func testAPasswordThatOneSchemeCannotHaveGivesNothingAway() async throws {
        let service = try service(hasher())
        for password in ["a\0b", String(repeating: "x", count: 600)] {
            let answer = try await service.verify(password, against: weak)
            XCTAssertEqual(answer, .mismatch)
        }
    }

    func testWhoComesWhileTooManyWaitIsSentAwayAtOnce() async throws {
        let service = try service(hasher(memoryKiB: 16384, passes: 4)) {
            $0.concurrency = 1
            $0.queueLimit = 3
        }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(PasswordError) {
                        _ = try await service.verify("secret", against: nil)
                        return true
                    } catch {
                        XCTAssertEqual(error, .busy)
                        return false
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        XCTAssertEqual(outcomes.filter { $0 }.count, 4)
        XCTAssertEqual(outcomes.count, 20)
        let load = await service.load
        XCTAssertEqual(load.running, 0)
        XCTAssertEqual(load.waiting, 0)
    }

    func testCancelledTasksLeaveTheQueue() async throws {
        let service = try service(hasher(memoryKiB: 16384, passes: 6)) { $0.concurrency = 1 }
        let first = Task { try await service.verify("secret", against: nil) }
        while await service.load.running == 0 { await Task.yield() }
        let waiting = (0..<10).map { _ in Task { try await service.verify("secret", against: nil) } }
        while await service.load.waiting < 10 { await Task.yield() }
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

    func testManyTasksWithRandomCancellationAllEnd() async throws {
        let service = try service(hasher(memoryKiB: 64)) { $0.queueLimit = 50 }
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

    func testTheBudgetBoundsHowManyRunAtOnce() async throws {
        let service = try service(hasher(memoryKiB: 8192, passes: 2)) {
            $0.memoryByteCount = 20 << 20
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

    func testAServiceThatCouldNotWorkIsRefused() throws {
        for (configure, expected) in [
            ({ $0.memoryByteCount = 1 << 20 }, PasswordError.overLimit),
            ({ $0.concurrency = 0 }, .invalidParameters),
            ({ $0.queueLimit = -1 }, .invalidParameters),
        ] as [((inout PasswordService.Configuration) -> Void, PasswordError)] {
            XCTAssertThrowsError(try service(hasher(memoryKiB: 2048), configure)) {
                XCTAssertEqual($0 as? PasswordError, expected)
            }
        }
    }
}
