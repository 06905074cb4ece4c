// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Whether a terminal shows the text on one line, and does nothing else with it.
    var isTerminalSafe: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
            default: true
            }
        }
    }
}
