// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Foundation

/// 64 clients verify passwords at once, with a memory budget of 256 MiB, while a timer of 1 ms runs on the pool that
/// `async` functions share. Meant for a process of its own, whose memory is measured.
enum ServiceLoad {
    private static let clients = 64
    private static let ticks = 1000

    /// Whether everything is as claimed.
    static func run() async throws -> Bool {
        let hasher = try PasswordHasher(policy: .rfc9106)
        var configuration = PasswordService.Configuration()
        configuration.memoryByteCount = 256 << 20
        // So that nothing but the budget bounds what runs at once.
        configuration.concurrency = clients
        let service = try PasswordService(hasher: hasher, configuration: configuration)
        let record = try hasher.hash("correct horse")

        let (lateness, answers) = try await withThrowingTaskGroup(of: Int.self) { group in
            let isOver = Flag()
            for client in 0..<clients {
                group.addTask {
                    var answers = 0
                    repeat {
                        let isRight = client.isMultiple(of: 2)
                        let answer = try await service.verify(
                            isRight ? "correct horse" : "wrong",
                            against: record
                        )
                        guard answer.isMatch == isRight else {
                            throw CommandRun.Failure(description: "a wrong answer")
                        }
                        answers += 1
                    } while await !isOver.isSet
                    return answers
                }
            }
            var lateness: [Duration] = []
            for _ in 0..<ticks {
                let start = ContinuousClock.now
                try await Task.sleep(for: .milliseconds(1))
                lateness.append(start.duration(to: .now) - .milliseconds(1))
            }
            await isOver.set()
            return (lateness, try await group.reduce(0, +))
        }

        let late = lateness.count { $0 > .milliseconds(50) }
        let sorted = lateness.sorted().map { $0 / .milliseconds(1) }
        let peakMiB = try peakKiB() / 1024
        print("\(clients) clients, Argon2id of 64 MiB and 3 passes, a budget of 256 MiB")
        print(
            String(
                format: "  %d verifications, all answered; %.0f MiB at most (claimed: below 320)",
                answers,
                peakMiB
            )
        )
        print(
            String(
                format: "  a timer of 1 ms: late by %.1f ms in the median, %.1f at 99 %%, %.1f at most; "
                    + "%d of %d ticks by more than 50 ms (claimed: less than 10)\n",
                sorted[ticks / 2],
                sorted[ticks * 99 / 100],
                sorted[ticks - 1],
                late,
                ticks
            )
        )
        return peakMiB < 320 && late * 100 < ticks && answers >= clients
    }

    private actor Flag {
        private(set) var isSet = false
        func set() { isSet = true }
    }

    private static func peakKiB() throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let value = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { throw CommandRun.Failure(description: "no VmHWM in /proc/self/status") }
        return value
    }
}
