// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How many hashes of a table had which outcome.
struct UpgradeCounts: Equatable {
    var layered = 0
    var removed = 0
    var kept = 0
    var rehash = 0
    var problems = 0

    var total: Int { layered + removed + kept + rehash + problems }

    /// Counts a hash.
    mutating func count(_ outcome: HashUpgrader.Outcome) {
        switch outcome {
        case .layered: layered += 1
        case .removed: removed += 1
        case .kept: kept += 1
        case .rehash: rehash += 1
        case .problem: problems += 1
        }
    }
}
