// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One measurement of one contender.
struct Sample: Sendable {
    /// The time in seconds.
    var seconds: Double
    /// The most memory that the process had, in KiB; 0 where nothing is known of it.
    var peakKiB = 0
}

/// Somebody who can be measured.
struct Contender {
    let name: String
    let run: () throws -> Sample
}

/// Ours beside its alternatives: each round measures all of them in turn, so that a machine whose speed drifts
/// treats them alike.
struct Comparison {
    /// A stable key for the JSON report.
    let id: String
    let title: String
    let ours: Contender
    let alternatives: [Alternative]
    let rounds: Int
    /// How often all rounds are repeated; the ratio is then the median of the runs'.
    var runs = 1

    struct Alternative {
        let contender: Contender
        /// How the ratio is to be read.
        let goal: Goal
    }

    /// What is claimed of the ratio of the alternative's time to ours: above 1, ours is the faster.
    struct Goal {
        let minimumSpeed: Double
    }

    func measure() throws -> Outcome {
        let contenders = [ours] + alternatives.map(\.contender)
        var samples = contenders.map { _ in [Sample]() }
        for round in 0...(rounds * runs) {
            for (index, contender) in contenders.enumerated() {
                let sample = try contender.run()
                // The first round only warms up.
                if round > 0 { samples[index].append(sample) }
            }
        }
        let rows = zip(contenders, samples).map { contender, samples in
            Outcome.Row(
                name: contender.name,
                seconds: Spread(samples.map(\.seconds)),
                peakKiB: samples.map(\.peakKiB).max() ?? 0
            )
        }
        let ratios = alternatives.enumerated().map { index, alternative in
            let speeds = zip(samples[index + 1], samples[0]).map { $0.seconds / $1.seconds }
            let medians = (0..<runs).map { Spread(Array(speeds[($0 * rounds)..<(($0 + 1) * rounds)])).median }
            return Outcome.Ratio(
                against: alternative.contender.name,
                speed: Spread(runs > 1 ? medians : speeds),
                minimum: alternative.goal.minimumSpeed
            )
        }
        return Outcome(id: id, title: title, rows: rows, ratios: ratios)
    }
}

/// The least, the middle and the largest of some numbers.
struct Spread: Encodable {
    let minimum: Double
    let median: Double
    let maximum: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        minimum = sorted.first ?? 0
        maximum = sorted.last ?? 0
        let middle = sorted.count / 2
        median =
            sorted.isEmpty
            ? 0 : sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// What a comparison showed.
struct Outcome: Encodable {
    struct Row: Encodable {
        let name: String
        let seconds: Spread
        let peakKiB: Int
    }

    struct Ratio: Encodable {
        let against: String
        /// The alternative's time by ours, round by round.
        let speed: Spread
        let minimum: Double
        var isMet: Bool { speed.median >= minimum }
    }

    let id: String
    let title: String
    let rows: [Row]
    let ratios: [Ratio]
}
