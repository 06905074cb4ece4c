// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Detects proofs that a store has forgotten, and that become acceptable again because the clock was set back.
///
/// A store forgets a used proof after its lifetime. If the clock of the proofs is set back, or daylight saving time ends,
/// the same proof would be accepted a second time. This remembers the expiry times of the forgotten proofs: a proof with
/// such an expiry time may have been used.
struct ForgottenProofs: Sendable {
    /// Expiry times that are closer than a day are merged into one range. Proofs between them are rejected as well,
    /// but expire only after the clock was set back.
    private static let mergedDistance: Int64 = 86_400
    private static let rangeLimit = 16

    /// The expiry times of stored proofs, each with the elapsed time at which the store may forget the first of them.
    private var stored: [Int64: Duration] = [:]
    private var firstForgotten = Duration.seconds(Int64.max)
    /// The expiry times of forgotten proofs.
    private(set) var ranges: [ClosedRange<Int64>] = []

    var storedCount: Int { stored.count }

    /// Records that a proof was accepted.
    mutating func record(expiry: Int64, forgottenAt elapsed: Duration) {
        stored[expiry] = min(stored[expiry] ?? elapsed, elapsed)
        firstForgotten = min(firstForgotten, elapsed)
    }

    /// Returns whether a proof with this expiry time may have been used and forgotten.
    mutating func contains(expiry: Int64, at elapsed: Duration) -> Bool {
        if elapsed >= firstForgotten { forget(at: elapsed) }
        return ranges.contains { $0.contains(expiry) }
    }

    private mutating func forget(at elapsed: Duration) {
        for (expiry, time) in stored where time <= elapsed {
            stored[expiry] = nil
            insert(expiry)
        }
        firstForgotten = stored.values.min() ?? .seconds(Int64.max)
    }

    private mutating func insert(_ expiry: Int64) {
        ranges.append(expiry...expiry)
        ranges.sort { $0.lowerBound < $1.lowerBound }
        // A clock that jumps often creates many ranges: the closest two are merged then.
        while let index = closestPair,
            ranges.count > Self.rangeLimit || distance(after: index) <= Self.mergedDistance
        {
            let next = ranges.remove(at: index + 1)
            ranges[index] = ranges[index].lowerBound...max(ranges[index].upperBound, next.upperBound)
        }
    }

    private var closestPair: Int? {
        ranges.indices.dropLast().min { distance(after: $0) < distance(after: $1) }
    }

    private func distance(after index: Int) -> Int64 {
        ranges[index + 1].lowerBound - ranges[index].upperBound
    }
}
