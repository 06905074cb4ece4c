// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Caches the candidates of the last minute: formatting them takes longer than computing the proofs.
final class MinuteCandidates: Sendable {
    private struct Last: Sendable {
        var minute: Int64?
        var candidates: [LoginCandidate] = []
    }

    private let window: Int
    private let last = Lock(Last())

    init(window: Int) {
        self.window = window
    }

    /// Returns the minutes around the server's local time, which is given in seconds as if it were UTC.
    func around(_ wallTime: Int64) -> [LoginCandidate] {
        let minute = Int64(Int(wallTime).flooredQuotientAndRemainder(dividingBy: 60).quotient)
        return last.withLock { last in
            if last.minute != minute {
                last = Last(
                    minute: minute,
                    candidates: LoginCandidate.minutes(around: wallTime, window: window)
                )
            }
            return last.candidates
        }
    }
}
