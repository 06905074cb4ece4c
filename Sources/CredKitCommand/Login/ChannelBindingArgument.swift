// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient

/// The value of `--channel-binding`.
enum ChannelBindingArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case serverEndPoint = "server-end-point"
    case exporter

    /// The kind of binding; `nil` for none.
    var kind: SCRAM.ChannelBinding.Kind? {
        switch self {
        case .none: nil
        case .serverEndPoint: .serverEndPoint
        case .exporter: .exporter
        }
    }

    /// The setting of a profile.
    func binding(isRequired: Bool) -> LoginProfile.ChannelBinding {
        guard let kind else { return .none }
        return isRequired ? .required(kind) : .preferred(kind)
    }
}
