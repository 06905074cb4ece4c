// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One number that CredKit is judged by: most often its speed or time by that of an alternative, which was
/// measured in the same rounds.
struct Ratio: Codable {
    enum Unit: String, Codable {
        case times = "×"
        case mebibytes = "MiB"
        case percent = "%"
        case accounts

        /// Whether the number is steady enough from run to run to be compared with that of an earlier one.
        var isComparable: Bool { self == .times || self == .mebibytes }
    }

    /// Which of two contenders' numbers is divided by which.
    enum Quantity: String, Codable {
        /// The alternative's time by ours: above 1, ours is the faster.
        case speed
        /// Our time by the alternative's: below 1, ours is the faster.
        case time
        /// Our processor time by the alternative's.
        case processorTime = "processor time"
        /// No ratio but what it is.
        case value
    }

    /// A stable key.
    let id: String
    let ours: String
    let against: String
    let quantity: Quantity
    let unit: Unit
    /// Round by round; nil where it could not be measured.
    let value: Spread?
    /// What is claimed; nil where the number only informs.
    let goal: Goal?
    /// Why there is no value.
    var whyNotMeasured: String?

    /// Whether larger numbers are better ones.
    var isUpward: Bool { goal?.direction.isUpward ?? (quantity == .speed) }

    /// Whether the claim was tested and does not hold.
    var isMissed: Bool {
        guard let goal, let value else { return false }
        return !goal.isMet(by: value.median)
    }

    /// A number that is no ratio.
    static func value(
        _ id: String,
        _ value: Double,
        _ unit: Unit,
        _ what: String,
        against: String,
        goal: Goal?
    ) -> Ratio {
        Ratio(
            id: id,
            ours: what,
            against: against,
            quantity: .value,
            unit: unit,
            value: Spread([value]),
            goal: goal
        )
    }

    /// A ratio that this machine cannot show.
    static func notMeasured(_ claim: Claim, because reason: String) -> Ratio {
        Ratio(
            id: claim.id,
            ours: claim.ours,
            against: claim.against,
            quantity: claim.quantity,
            unit: .times,
            value: nil,
            goal: claim.goal,
            whyNotMeasured: reason
        )
    }
}
