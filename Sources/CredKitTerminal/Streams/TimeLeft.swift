// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Times for people.
package enum TimeLeft {
    /// Returns a time in the units that fit it, rounded up: `2 h 45 min`.
    package static func text(seconds: Double) -> String {
        guard seconds < 1e12 else { return "more than 30,000 years" }
        let total = Int(max(0, seconds).rounded(.up))
        switch total {
        case ..<120: return "\(total) s"
        case ..<7200: return "\((total + 59) / 60) min"
        case ..<172_800: return "\(total / 3600) h \(total % 3600 / 60) min"
        default: return "\(total / 86_400) d \(total % 86_400 / 3600) h"
        }
    }
}
