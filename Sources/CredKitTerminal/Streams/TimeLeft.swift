// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Times for people.
package enum TimeLeft {
    /// Returns a time in the units that fit it, rounded up: `2 h 45 min`.
    package static func text(seconds: Double) -> String {
        guard seconds < 1e12 else { return "more than 30,000 years" }
        let total = Int(max(0, seconds).rounded(.up))
        let minutes = (total + 59) / 60
        switch total {
        case ..<120: return "\(total) s"
        case ..<7200: return "\(minutes) min"
        case ..<172_800: return "\(minutes / 60) h \(minutes % 60) min"
        default:
            let hours = (total + 3599) / 3600
            return "\(hours / 24) d \(hours % 24) h"
        }
    }
}
