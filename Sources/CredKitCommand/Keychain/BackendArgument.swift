// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain

/// Which backend a command takes: `auto` leaves it to the account's own choice.
enum BackendArgument: String, ExpressibleByArgument, CaseIterable {
    case auto
    case secretService = "secret-service"
    case vault

    var backend: KeychainBackend? {
        switch self {
        case .auto: nil
        case .secretService: .secretService
        case .vault: .vault
        }
    }
}

/// By which attributes items are found in the Secret Service.
enum AttributeSchemeArgument: String, ExpressibleByArgument, CaseIterable {
    case generic, keytar, git, docker

    var scheme: AttributeScheme {
        switch self {
        case .generic: .generic
        case .keytar: .keytar
        case .git: .git
        case .docker: .docker
        }
    }
}
