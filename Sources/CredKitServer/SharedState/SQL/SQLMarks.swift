// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What functions that mark a use are given, and what their answer means.
struct SQLMarks: Sendable {
    private let engine: SQLEngine
    private let perAccountLimit: Int

    init(_ engine: SQLEngine, perAccountLimit: Int) {
        self.engine = engine
        self.perAccountLimit = perAccountLimit
    }

    func parameters(of use: LoginCompletion.Use) -> [SQLValue] {
        [
            engine.name(.replay, use.key), engine.name(.replayAccount, use.account),
            .microseconds(engine.clock.retention(of: use.lifetime)), .microseconds(use.lifetime),
            .microseconds(engine.clock.increased(use.challengeAge)), .integer(Int64(perAccountLimit)),
            .microseconds(engine.clock.now),
            .microseconds(engine.clock.tolerance(within: engine.timeLimit)),
        ]
    }

    /// Returns the decision of a function that returns its word and the beginning of the history.
    func decision(
        _ reply: SQLEngine.Reply,
        on use: LoginCompletion.Use
    ) throws(SharedStateError) -> ReplayDecision {
        let row = try reply.row()
        guard row.count == 2, case .text(let word) = row[0], case .integer(let began) = row[1] else {
            throw SharedStateError(.malformedAnswer)
        }
        let since = Duration.microseconds(began)
        // The function knew the difference of the clocks from an earlier reply. Its own reply may show a greater one.
        let age = try engine.clock.increased(use.challengeAge, engineTime: reply.time, sent: reply.sent)
        let isEarly = reply.time - age <= since
        switch word {
        case "replayed": return .replayed
        case "full": return .unavailable(retryAfter: use.lifetime)
        case "accepted" where !isEarly: return .accepted
        case "accepted", "early": return .unavailable(retryAfter: max(since - (reply.time - age), .zero))
        case "unsafe":
            throw SharedStateError(
                .unsafeSettings,
                message: "PostgreSQL can lose what it has committed: set fsync and synchronous_commit to on"
            )
        case "clocks": throw SharedStateError(.clocksDiffer)
        default: throw SharedStateError(.malformedAnswer)
        }
    }
}
