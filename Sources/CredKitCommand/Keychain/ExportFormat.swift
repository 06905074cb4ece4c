// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain

/// A format of another program that an export is written in.
enum ExportFormat: ExpressibleByArgument, CaseIterable, Equatable {
    case pass
    case file(PasswordFile.Format)

    static let allCases = [pass] + PasswordFile.Format.allCases.map { file($0) }
    static let allValueStrings = allCases.map(\.name)

    var name: String {
        switch self {
        case .pass: "pass"
        case .file(let format): format.rawValue
        }
    }

    init?(argument: String) {
        guard let format = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = format
    }
}
