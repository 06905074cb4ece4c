// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An algorithm that makes new hashes: its scheme, its costs, and the parameters for given costs.
package struct PasswordAlgorithm: Sendable {
    /// A number that determines how much work a hash takes.
    package struct CostParameter: Sendable {
        /// The name: `memory`, `passes`, `rounds` …
        package let name: String
        /// The quantity that it counts, for people.
        package let meaning: String
        /// The value recommended today.
        package let recommended: Int
        /// The values that it may have.
        package let range: ClosedRange<Int>
        /// Whether it is a number of KiB.
        package var isMemory = false
    }

    let scheme: PasswordHash.Scheme
    let costs: [CostParameter]

    /// The cost that calibration varies, and how time grows with it.
    let tuning: Tuning

    /// Returns the parameters for costs in the order of ``costs``, each within its range.
    let make: @Sendable (_ costs: [Int]) throws(PasswordError) -> any SchemeParameters

    /// How time depends on a cost.
    enum Tuning: Sendable {
        /// Time is proportional to the cost at an index.
        case linear(costIndex: Int)
        /// Time doubles with each step of the cost at an index.
        case doubling(costIndex: Int)

        var costIndex: Int {
            switch self {
            case .linear(let index), .doubling(let index): index
            }
        }
    }
}
