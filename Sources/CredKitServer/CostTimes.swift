// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How long hashes of each cost took lately, and how long what was spent beside them.
struct CostTimes: Sendable {
    /// So many are kept of each.
    static let sampleCount = 31

    /// So many different costs are kept. A table has a handful; whoever can write into it could make up more.
    static let classLimit = 256

    private var verifications: [String: [Double]] = [:]
    private var topUps: [String: [Double]] = [:]

    /// The seconds that hashes of a cost took, the median of the last ones; `nil` if there is none.
    func seconds(of costClass: String) -> Double? { Self.median(verifications[costClass]) }

    /// The seconds that a whole hash by the policy would have taken, going by the parts of one that were spent beside
    /// hashes of a cost. A part is not as long as the same part of a whole: less memory is faster memory.
    func secondsOfWhole(beside costClass: String) -> Double? { Self.median(topUps[costClass]) }

    /// Takes note of what a verification measured.
    mutating func record(_ report: VerificationReport) {
        guard let measured = report.measured else { return }
        Self.append(measured.seconds, to: &verifications, measured.costClass)
        if let topUp = measured.topUp {
            Self.append(topUp.seconds / topUp.share, to: &topUps, measured.costClass)
        }
    }

    private static func append(_ value: Double, to samples: inout [String: [Double]], _ costClass: String) {
        guard samples[costClass] != nil || samples.count < classLimit else { return }
        samples[costClass] = ((samples[costClass] ?? []) + [value]).suffix(sampleCount)
    }

    private static func median(_ samples: [Double]?) -> Double? {
        guard let sorted = samples?.sorted(), !sorted.isEmpty else { return nil }
        return sorted[sorted.count / 2]
    }
}
