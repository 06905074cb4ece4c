// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A claimed limit of a number: at least, at most, or below.
struct Goal: Codable, Equatable {
    enum Direction: String, Codable {
        case atLeast = "at least"
        case atMost = "at most"
        case below

        /// Whether larger numbers are better.
        var isUpward: Bool { self == .atLeast }

        var symbol: String {
            switch self {
            case .atLeast: "≥"
            case .atMost: "≤"
            case .below: "<"
            }
        }
    }

    let direction: Direction
    let bound: Double

    static func atLeast(_ bound: Double) -> Goal { Goal(direction: .atLeast, bound: bound) }
    static func atMost(_ bound: Double) -> Goal { Goal(direction: .atMost, bound: bound) }
    static func below(_ bound: Double) -> Goal { Goal(direction: .below, bound: bound) }

    func isMet(by value: Double) -> Bool {
        switch direction {
        case .atLeast: value >= bound
        case .atMost: value <= bound
        case .below: value < bound
        }
    }
}
