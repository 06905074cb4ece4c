// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How far a clock is ahead of UTC: `+08:00`, `-03:30`, or minutes such as `480`.
struct TimeOffsetArgument: ExpressibleByArgument, CustomStringConvertible {
    let minutes: Int

    /// The offset as a duration.
    var duration: Duration { .seconds(60 * minutes) }

    init(_ offset: Duration) { minutes = Int(offset.components.seconds / 60) }

    init?(argument: String) {
        let digits = argument.drop { $0 == "+" || $0 == "-" }
        guard argument.count - digits.count <= 1, digits.utf8.allSatisfy({ (48...58).contains($0) }) else {
            return nil
        }
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        let count: Int
        switch (parts.count, parts[0], parts.last ?? nil) {
        case (1, let minutes?, _): count = minutes
        case (2, let hours?, let minutes?) where hours <= 24 && minutes < 60: count = hours * 60 + minutes
        default: return nil
        }
        guard count <= 24 * 60 else { return nil }
        minutes = argument.hasPrefix("-") ? -count : count
    }

    var description: String {
        let (hours, minutes) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return (self.minutes < 0 ? "-" : "+") + pad(hours) + ":" + pad(minutes)
    }
}
