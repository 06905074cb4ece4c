// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The recent computation times of hashes by cost, and of the additional work that equalizes their timing.
struct CostModel: Sendable {
    /// The number of samples of each kind.
    static let sampleCount = 31

    /// The maximum number of different costs, after which all samples are discarded. A table has a handful; an attacker
    /// who can write into it could add more.
    static let classLimit = 256

    /// The key of the samples. Times are normalized to an empty password: otherwise a client with long passwords could
    /// shift the expected times.
    private struct Key: Hashable {
        let name: String
        let lengthClass: Int

        init(_ cost: VerificationCost, lengthClass: Int? = nil) {
            name = cost.name
            self.lengthClass = lengthClass ?? cost.lengthClass
        }
    }

    private var verifications: [Key: [Double]] = [:]
    private var topUps: [Key: [Double]] = [:]
    /// What verifications took from a core on which others advanced beside them.
    private var shares: [Key: [Double]] = [:]
    /// How long those took while they advanced.
    private var besideOthers: [Key: [Double]] = [:]

    /// Returns the seconds that a verification of a cost is expected to take, as the median of the last samples; `nil`
    /// if there are none.
    func seconds(of cost: VerificationCost) -> Double? {
        Self.median(verifications[Key(cost)]).map { $0 * cost.lengthFactor }
    }

    /// Returns the seconds that a verification of a cost is expected to take: as measured, with passwords of this length or else
    /// with short ones, or as estimated.
    func expectedSeconds(of cost: VerificationCost) -> Double {
        seconds(of: cost)
            ?? Self.median(verifications[Key(cost, lengthClass: 0)]).map { $0 * cost.lengthFactor }
            ?? cost.estimatedSeconds
    }

    /// Returns the seconds that a verification of a cost is expected to take from its core: of those that wait, most share one,
    /// if that saves time.
    func secondsOfCore(for cost: VerificationCost) -> Double {
        Self.median(shares[Key(cost)]).map { $0 * cost.lengthFactor } ?? expectedSeconds(of: cost)
    }

    /// Returns the seconds that a verification of a cost is expected to take beside others on its core; at least those of one
    /// alone.
    func secondsBesideOthers(of cost: VerificationCost) -> Double {
        let alone = expectedSeconds(of: cost)
        return max(alone, (Self.median(besideOthers[Key(cost)]) ?? 0) * cost.lengthFactor)
    }

    /// Returns the seconds that a whole hash by the policy would take, estimated from the parts of one that were
    /// computed beside hashes of a cost. A part is not proportional to the whole: less memory is faster memory.
    func secondsOfWhole(beside cost: VerificationCost, of preferred: VerificationCost) -> Double? {
        Self.median(topUps[Key(cost)]).map { $0 * preferred.lengthFactor }
    }

    /// Records the times that a verification measured. Those beside others are kept apart: they would shift the expected times
    /// under load.
    mutating func record(_ report: VerificationReport) {
        guard let measured = report.measured else { return }
        if let share = measured.share {
            Self.append(share / measured.cost.lengthFactor, to: &shares, measured.cost)
            Self.append(measured.seconds / measured.cost.lengthFactor, to: &besideOthers, measured.cost)
            return
        }
        Self.append(measured.seconds / measured.cost.lengthFactor, to: &verifications, measured.cost)
        if let topUp = measured.topUp {
            Self.append(
                topUp.seconds / topUp.share / topUp.preferred.lengthFactor,
                to: &topUps,
                measured.cost
            )
        }
    }

    private static func append(_ value: Double, to samples: inout [Key: [Double]], _ cost: VerificationCost) {
        let key = Key(cost)
        if samples[key] == nil && samples.count >= classLimit { samples.removeAll() }
        samples[key] = ((samples[key] ?? []) + [value]).suffix(sampleCount)
    }

    private static func median(_ samples: [Double]?) -> Double? {
        guard let sorted = samples?.sorted(), !sorted.isEmpty else { return nil }
        return sorted[sorted.count / 2]
    }
}
