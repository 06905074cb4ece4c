// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient

/// The value of `--dpop`.
enum DPoPArgument: String, ExpressibleByArgument, CaseIterable {
    case preferred, required

    /// The setting of a profile.
    var mode: DPoPMode {
        switch self {
        case .preferred: .preferred
        case .required: .required
        }
    }
}
