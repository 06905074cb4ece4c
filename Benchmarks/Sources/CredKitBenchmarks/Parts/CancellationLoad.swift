// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// Cancels verifications at random moments while other verifications keep all processors busy, and measures the time until
/// each has ended.
enum CancellationLoad {
    private static let cancellations = 200
    /// A processor that must first serve another thread adds some milliseconds on a busy machine.
    private static let limit = Duration.milliseconds(10)

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
        let load = (0..<processors).map { _ in
            Task { while !Task.isCancelled { _ = try? await service.verify("wrong", against: nil) } }
        }
        defer { for task in load { task.cancel() } }

        var times: [Duration] = []
        while times.count < cancellations {
            let verification = Task { () -> ContinuousClock.Instant? in
                do throws(PasswordError) {
                    _ = try await service.verify("wrong", against: nil)
                    return nil
                } catch {
                    return error == .cancelled ? .now : nil
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...200)))
            let start = ContinuousClock.now
            verification.cancel()
            if let end = await verification.value { times.append(start.duration(to: end)) }
        }
        return Outcome(
            id: "cancellation",
            title: "\(cancellations) cancelled verifications of 64 MiB while \(processors) others run",
            rows: [
                Outcome.Row(name: "from cancellation to end", seconds: times.map { $0 / .seconds(1) })
            ],
            ratios: [
                .value(
                    "cancellation-late",
                    Double(times.count { $0 > limit }) / Double(times.count) * 100,
                    .percent,
                    "cancellations that take longer than 10 ms while all processors are busy",
                    against: "the whole computation otherwise",
                    goal: .atMost(5)
                )
            ]
        )
    }
}
