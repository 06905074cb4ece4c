// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// Which Redis server to use, and how to log in to it.
struct RedisSettings: Sendable {
    let address: RedisAddress
    let security: RedisSecurity
    /// The user of the server's access control list; `nil` for the default one.
    let user: String?
    /// The user's password; `nil` if the server requires none.
    let password: SecretBytes?

    /// The command that logs in; `nil` without a password.
    var login: [UInt8]? {
        guard let password else { return nil }
        let secret = password.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
        let name = user.map { [Array($0.utf8)] } ?? []
        return RESPEncoder.command([Array("AUTH".utf8)] + name + [secret])
    }
}
