// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How long hashes of each cost took lately.
struct CostTimes: Sendable {
    /// So many are kept of each.
    static let sampleCount = 15

    /// So many different costs are kept. A table has a handful.
    static let classLimit = 256

    private var samples: [String: [Double]] = [:]

    /// The median of the last times, `nil` if there is none.
    func median(of costClass: String) -> Double? {
        guard let sorted = samples[costClass]?.sorted(), !sorted.isEmpty else { return nil }
        return sorted[sorted.count / 2]
    }

    /// Takes note of what a verification measured.
    mutating func record(_ report: VerificationReport) {
        for (costClass, seconds) in report.measured {
            guard samples[costClass] != nil || samples.count < Self.classLimit else { continue }
            var times = samples[costClass] ?? []
            times.append(seconds)
            samples[costClass] = times.suffix(Self.sampleCount)
        }
    }
}
