// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain

/// The backend that a command uses; `auto` means the account's own choice.
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

/// The schema that identifies items in the Secret Service.
enum SecretServiceSchemaArgument: String, ExpressibleByArgument, CaseIterable {
    case generic, keytar, git, docker

    var schema: SecretServiceSchema {
        switch self {
        case .generic: .generic
        case .keytar: .keytar
        case .git: .git
        case .docker: .docker
        }
    }
}
