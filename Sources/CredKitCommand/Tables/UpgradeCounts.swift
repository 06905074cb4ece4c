// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How many records of a table had which outcome. Each is counted once; `total` is the sum.
struct UpgradeCounts: Equatable {
    var layered = 0
    var removed = 0
    var current = 0
    var notSelected = 0
    var withoutPassword = 0
    var locked = 0
    /// Comments and empty lines. A header is no record.
    var comments = 0
    var rehash = 0
    var problems = 0
    /// The readable hashes behind a lock mark, which are also counted by their outcome.
    var lockedWithHash = 0

    /// The records that stay as they are, and have nothing to be reported.
    var kept: Int { current + notSelected + withoutPassword + locked + comments }

    var total: Int { layered + removed + kept + rehash + problems }

    /// The counts by their keys in JSON.
    var keys: [String: Int] {
        [
            "layered": layered, "kept": kept, "current": current, "notSelected": notSelected,
            "withoutPassword": withoutPassword, "locked": locked, "comments": comments, "rehash": rehash,
            "problems": problems, "lockedWithHash": lockedWithHash,
        ]
    }

    /// Counts a record.
    mutating func count(_ outcome: HashUpgrader.Outcome) {
        switch outcome {
        case .layered(let isLocked):
            layered += 1
            count(isLocked)
        case .removed(let isLocked):
            removed += 1
            count(isLocked)
        case .kept(let reason, let isLocked):
            count(reason)
            count(isLocked)
        case .rehash(_, let isLocked):
            rehash += 1
            count(isLocked)
        case .problem: problems += 1
        }
    }

    private mutating func count(_ isLocked: Bool) { lockedWithHash += isLocked ? 1 : 0 }

    private mutating func count(_ reason: KeptReason) {
        switch reason {
        case .current: current += 1
        case .notSelected: notSelected += 1
        case .withoutPassword: withoutPassword += 1
        case .locked: locked += 1
        case .comment: comments += 1
        }
    }
}
