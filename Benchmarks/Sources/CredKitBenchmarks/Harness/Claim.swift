// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Which two contenders of a comparison are set against each other, and what is claimed of them.
struct Claim {
    /// A stable key for the report.
    let id: String
    /// The names of the two.
    let ours: String
    let against: String
    let quantity: Ratio.Quantity
    /// nil if nothing is claimed.
    let goal: Goal?

    /// The speed of one beside that of another.
    static func speed(_ id: String, _ ours: String, _ against: String, atLeast bound: Double?) -> Claim {
        Claim(id: id, ours: ours, against: against, quantity: .speed, goal: bound.map { .atLeast($0) })
    }

    /// The time of one beside that of another.
    static func time(_ id: String, _ ours: String, _ against: String, atMost bound: Double?) -> Claim {
        Claim(id: id, ours: ours, against: against, quantity: .time, goal: bound.map { .atMost($0) })
    }

    /// The processor time of one beside that of another.
    static func processorTime(_ id: String, _ ours: String, _ against: String, atMost bound: Double?) -> Claim
    {
        Claim(id: id, ours: ours, against: against, quantity: .processorTime, goal: bound.map { .atMost($0) })
    }
}
