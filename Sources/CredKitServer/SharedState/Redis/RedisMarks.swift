// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What scripts that mark a use are given, and what their answer means.
struct RedisMarks: Sendable {
    /// Replicas expire keys by their own clocks.
    private static let replicaMargin = Duration.seconds(10)

    private let engine: RedisEngine
    private let perAccountLimit: Int

    init(_ engine: RedisEngine, perAccountLimit: Int) {
        self.engine = engine
        self.perAccountLimit = perAccountLimit
    }

    func keys(of use: LoginCompletion.Use) -> [String] {
        [
            engine.key(.replay, use.key), engine.key(.replayAccount, use.account),
            "\(engine.prefix)epoch",
        ]
    }

    func arguments(of use: LoginCompletion.Use) -> [[UInt8]] {
        [
            Array(milliseconds: engine.clock.retention(of: use.lifetime) + Self.replicaMargin),
            Array(milliseconds: use.lifetime),
            Array(microseconds: engine.clock.increased(use.challengeAge)), Array(argument: perAccountLimit),
            Array(microseconds: engine.clock.now),
            Array(microseconds: engine.clock.tolerance(within: engine.timeLimit)),
        ]
    }

    /// Returns the decision of a script that returns its word and the beginning of the replication history.
    func decision(
        _ reply: RedisEngine.Reply,
        on use: LoginCompletion.Use
    ) throws(SharedStateError) -> ReplayDecision {
        let since = Duration.microseconds(try reply.integer(0))
        // The script knew the difference of the clocks from an earlier reply. Its own reply may show a greater one.
        let age = try engine.clock.increased(use.challengeAge, engineTime: reply.time, sent: reply.sent)
        let isEarly = reply.time - age <= since
        switch reply.word {
        case "replayed": return .replayed
        case "full": return .unavailable(retryAfter: use.lifetime)
        case "accepted" where !isEarly: return .accepted
        case "accepted", "early": return .unavailable(retryAfter: max(since - (reply.time - age), .zero))
        case "clocks": throw SharedStateError(.clocksDiffer)
        default: throw reply.isUnexpected
        }
    }
}
