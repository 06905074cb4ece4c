// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// 64 clients verify passwords at once, with a memory budget of 256 MiB, while a timer of 1 ms runs on the pool that
/// `async` functions share, and another one on a thread of its own: it shows when the machine itself is late. Runs in a
/// separate process, because it measures the memory of the process.
enum ServiceLoad {
    private static let clients = 64
    /// 1 % of them are 20.
    private static let ticks = 2000

    static func measure() async throws -> Outcome {
        let context = try PasswordContext(policy: .rfc9106)
        var configuration = PasswordService.Configuration()
        configuration.memory = .mebibytes(256)
        // Only the memory budget limits the concurrency.
        configuration.concurrency = clients
        let service = try PasswordService(context: context, configuration: configuration)
        // Not through the context, which would keep memory for some seconds.
        let record = try await service.hash("correct horse", clientAddress: nil)
        try await warmUp(service)
        let before = CommandRun.residentKiB
        let witness = TimerWitness()

        let (lateness, answers) = try await withThrowingTaskGroup(of: Int.self) { group in
            let isOver = Flag()
            for client in 0..<clients {
                group.addTask {
                    var answers = 0
                    repeat {
                        let isRight = client.isMultiple(of: 2)
                        let answer = try await service.verify(
                            isRight ? "correct horse" : "wrong",
                            against: record,
                            account: nil,
                            clientAddress: nil
                        )
                        guard answer.isMatch == isRight else {
                            throw Failure(description: "a wrong answer")
                        }
                        answers += 1
                    } while await !isOver.isSet
                    return answers
                }
            }
            var lateness: [Lateness] = []
            for _ in 0..<ticks {
                let start = ContinuousClock.now
                try await Task.sleep(for: .milliseconds(1))
                lateness.append(Lateness(start: start, end: .now))
            }
            await isOver.set()
            return (lateness, try await group.reduce(0, +))
        }

        guard answers >= clients else { throw Failure(description: "a client got no answer") }

        let late = lateness.filter { $0.time > .milliseconds(20) }
        // The machine had no processor for a bare thread either.
        let machine = witness.stop().filter { $0.time > .milliseconds(10) }
        let unexplained = late.count { tick in !machine.contains { tick.overlaps($0) } }
        return Outcome(
            id: "load",
            title: "\(clients) clients, Argon2id of 64 MiB and 3 passes, a budget of 256 MiB: "
                + "\(answers) verifications, all answered",
            rows: [
                Outcome.Row(
                    name: "lateness of a timer of 1 ms",
                    seconds: lateness.map { $0.time / .seconds(1) }
                )
            ],
            ratios: [
                .value(
                    "load-memory",
                    Double(CommandRun.peakKiB(of: "self") - before) / 1024,
                    .mebibytes,
                    "memory of \(clients) verifications at once, beside that of the process before",
                    against: "\(clients * 64) MiB without a budget",
                    goal: .atMost(258)
                ),
                .value(
                    "load-late-ticks",
                    Double(unexplained) / Double(ticks) * 100,
                    .percent,
                    "ticks of a timer of 1 ms that are late by more than 20 ms while a bare thread is not",
                    against: "\(late.count) late ticks of \(ticks) in all",
                    goal: .atMost(0)
                ),
            ]
        )
    }

    /// Verifies a password as often at a trifling cost, so that the pages of the program and of its libraries are in memory before
    /// the measurement: they are not memory of the verifications.
    private static func warmUp(_ service: PasswordService) async throws {
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .kibibytes(8), passes: 1))
        )
        let record = try context.hash("correct horse")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<clients {
                group.addTask {
                    _ = try await service.verify("wrong", against: record, account: nil, clientAddress: nil)
                }
            }
            try await group.waitForAll()
        }
    }

    private actor Flag {
        private(set) var isSet = false
        func set() { isSet = true }
    }
}
