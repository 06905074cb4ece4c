// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A claim that compares two contenders.
struct Claim {
    /// A stable key for the report.
    let id: String
    /// The names of the two contenders.
    let ours: String
    let against: String
    let quantity: Ratio.Quantity
    /// nil if the ratio is only reported.
    let goal: Goal?

    /// Compares the speed of two contenders.
    static func speed(_ id: String, _ ours: String, _ against: String, atLeast bound: Double?) -> Claim {
        Claim(id: id, ours: ours, against: against, quantity: .speed, goal: bound.map { .atLeast($0) })
    }

    /// Compares the time of two contenders.
    static func time(_ id: String, _ ours: String, _ against: String, atMost bound: Double?) -> Claim {
        Claim(id: id, ours: ours, against: against, quantity: .time, goal: bound.map { .atMost($0) })
    }

    /// Compares the processor time of two contenders.
    static func processorTime(_ id: String, _ ours: String, _ against: String, atMost bound: Double?) -> Claim
    {
        Claim(id: id, ours: ours, against: against, quantity: .processorTime, goal: bound.map { .atMost($0) })
    }
}
