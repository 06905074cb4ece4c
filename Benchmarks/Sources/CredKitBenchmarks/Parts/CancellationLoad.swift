// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Glibc

/// Cancels verifications at random moments, and measures what passes until each has ended: the time while other verifications
/// keep all processors busy, and the processor time of the process without them. Other programs do not affect the latter.
enum CancellationLoad {
    private static let cancellations = 200
    /// A processor that must first serve another thread adds some milliseconds on a busy machine.
    private static let limit = 0.01

    /// From the cancellation of a verification to its end, in seconds.
    private struct Delay {
        let elapsed: Double
        /// Of all threads of the process.
        let processor: Double
    }

    static func measure() async throws -> Outcome {
        // About a second each: none ends before it is cancelled.
        let context = try PasswordContext(
            policy: PasswordPolicy(preferred: .argon2id(memory: .mebibytes(64), passes: 20))
        )
        var configuration = PasswordService.Configuration()
        let processors = configuration.concurrency
        configuration.concurrency = processors + 1
        configuration.memory = .mebibytes(64 * (processors + 1))
        let service = try PasswordService(context: context, configuration: configuration)
        let alone = try await cancelVerifications(of: service)
        let load = (0..<processors).map { _ in
            Task {
                while !Task.isCancelled {
                    _ = try? await service.verify("wrong", against: nil, account: nil, clientAddress: nil)
                }
            }
        }
        defer { for task in load { task.cancel() } }
        let loaded = try await cancelVerifications(of: service)

        return Outcome(
            id: "cancellation",
            title:
                "\(cancellations) cancelled verifications of 64 MiB while \(processors) others run, and alone",
            rows: [
                Outcome.Row(name: "from cancellation to end", seconds: loaded.map(\.elapsed)),
                Outcome.Row(name: "alone", seconds: alone.map(\.elapsed)),
                Outcome.Row(name: "alone, processor time", seconds: alone.map(\.processor)),
            ],
            ratios: [
                .value(
                    "cancellation-late",
                    lateShare(loaded.map(\.elapsed)),
                    .percent,
                    "cancellations that take longer than 10 ms while all processors are busy",
                    against: "the whole computation otherwise",
                    goal: .atMost(5)
                ),
                .value(
                    "cancellation-processor-time",
                    (alone.map(\.processor).max() ?? 0) * 1000,
                    .milliseconds,
                    "the most processor time from a cancellation to the end of the verification",
                    against: "the whole computation otherwise",
                    goal: .atMost(10)
                ),
            ]
        )
    }

    private static func cancelVerifications(of service: PasswordService) async throws -> [Delay] {
        var delays: [Delay] = []
        while delays.count < cancellations {
            let verification = Task { () -> (ContinuousClock.Instant, Double)? in
                do throws(PasswordError) {
                    _ = try await service.verify("wrong", against: nil, account: nil, clientAddress: nil)
                    return nil
                } catch {
                    return error == .cancelled ? (.now, processorSeconds) : nil
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...200)))
            let start = ContinuousClock.now
            verification.cancel()
            // Afterwards: while this thread waits for a processor, the verification computes.
            let processorStart = processorSeconds
            guard let (end, processorEnd) = await verification.value else { continue }
            delays.append(
                Delay(
                    elapsed: start.duration(to: end) / .seconds(1),
                    processor: processorEnd - processorStart
                )
            )
        }
        return delays
    }

    private static func lateShare(_ seconds: [Double]) -> Double {
        Double(seconds.count { $0 > limit }) / Double(seconds.count) * 100
    }

    /// The processor time of this process. Of a thread that runs on another processor, up to a tick of the clock (1 to 10 ms)
    /// is added late, so that a difference can be too large by that much.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
