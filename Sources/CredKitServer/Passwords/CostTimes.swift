// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// How long hashes of each cost took lately, and how long what was spent beside them.
struct CostTimes: Sendable {
    /// So many are kept of each.
    static let sampleCount = 31

    /// So many different costs are kept, before all is learned anew. A table has a handful; whoever can write into it
    /// could make up more.
    static let classLimit = 256

    /// What times are kept by. They are kept as they would be of an empty password: otherwise somebody with long
    /// passwords could decide what is held to be usual.
    private struct Key: Hashable {
        let name: String
        let lengthClass: Int

        init(_ cost: PasswordCost) {
            name = cost.name
            lengthClass = cost.lengthClass
        }
    }

    private var verifications: [Key: [Double]] = [:]
    private var topUps: [Key: [Double]] = [:]

    /// The seconds that a verification of a cost is expected to take: by the median of the last ones, `nil` if there
    /// is none.
    func seconds(of cost: PasswordCost) -> Double? {
        Self.median(verifications[Key(cost)]).map { $0 * cost.lengthFactor }
    }

    /// The seconds that a whole hash by the policy would take, going by the parts of one that were spent beside hashes of
    /// a cost. A part is not as long as the same part of a whole: less memory is faster memory.
    func secondsOfWhole(beside cost: PasswordCost, of preferred: PasswordCost) -> Double? {
        Self.median(topUps[Key(cost)]).map { $0 * preferred.lengthFactor }
    }

    /// Takes note of what a verification measured.
    mutating func record(_ report: VerificationReport) {
        guard let measured = report.measured else { return }
        Self.append(measured.seconds / measured.cost.lengthFactor, to: &verifications, measured.cost)
        if let topUp = measured.topUp {
            Self.append(
                topUp.seconds / topUp.share / topUp.preferred.lengthFactor,
                to: &topUps,
                measured.cost
            )
        }
    }

    private static func append(_ value: Double, to samples: inout [Key: [Double]], _ cost: PasswordCost) {
        let key = Key(cost)
        if samples[key] == nil && samples.count >= classLimit { samples.removeAll() }
        samples[key] = ((samples[key] ?? []) + [value]).suffix(sampleCount)
    }

    private static func median(_ samples: [Double]?) -> Double? {
        guard let sorted = samples?.sorted(), !sorted.isEmpty else { return nil }
        return sorted[sorted.count / 2]
    }
}
