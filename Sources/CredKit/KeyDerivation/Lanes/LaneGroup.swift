// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Computations of passwords that take less time together than one after the other.
package struct LaneGroup: Sendable, Hashable {
    /// When another computation may join those that run.
    package enum Joining: Sendable {
        /// At any time: one alone hardly becomes slower.
        case anytime
        /// When several run together already. One that began alone would become much slower.
        case besideSeveral
        /// Only when they start.
        case atStart
    }

    /// What they have in common.
    package let name: String
    package let joining: Joining
    /// How many are best done at once of one, of two, and so on; of more as of the last.
    private let counts: [Int]

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - name: What its computations have in common.
    ///   - joining: When another one may join.
    ///   - counts: How many are best done at once of one, of two, and so on; of more as of the last.
    package init(name: String, joining: Joining, counts: [Int]) {
        self.name = name
        self.joining = joining
        self.counts = counts
    }

    /// Returns how many of `candidates` computations are best done at once, by what was measured.
    package func count(of candidates: Int) -> Int {
        guard let last = counts.last, candidates > 0 else { return 1 }
        return max(1, candidates <= counts.count ? counts[candidates - 1] : last)
    }
}
