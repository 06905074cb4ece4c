// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A number that CredKit is judged by, usually its speed or time relative to an alternative that was measured in the
/// same rounds.
struct Ratio: Codable {
    enum Unit: String, Codable {
        case times = "×"
        case mebibytes = "MiB"
        case milliseconds = "ms"
        case microseconds = "µs"
        case percent = "%"
        case accounts
        case perSecond = "/s"
        case roundTrips = "round trips"

        /// Whether the number is stable enough between runs to be compared with an earlier one.
        var isComparable: Bool { self == .times || self == .mebibytes }
    }

    /// How a ratio is computed from two contenders.
    enum Quantity: String, Codable {
        /// The alternative's time divided by CredKit's: above 1, CredKit is faster.
        case speed
        /// CredKit's time divided by the alternative's: below 1, CredKit is faster.
        case time
        /// CredKit's processor time divided by the alternative's.
        case processorTime = "processor time"
        /// A plain number instead of a ratio.
        case value
    }

    /// A stable key.
    let id: String
    let ours: String
    let against: String
    let quantity: Quantity
    let unit: Unit
    /// One value per round; nil if it could not be measured.
    let value: Spread?
    /// The claimed limit; nil if the number is only reported.
    let goal: Goal?
    /// The reason why there is no value.
    var whyNotMeasured: String?

    /// Whether larger numbers are better.
    var isUpward: Bool { goal?.direction.isUpward ?? (quantity == .speed) }

    /// Whether the claim was tested and missed.
    var isMissed: Bool {
        guard let goal, let value else { return false }
        return !goal.isMet(by: value.median)
    }

    /// Creates a plain number.
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

    /// Creates a ratio that this machine cannot measure.
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
