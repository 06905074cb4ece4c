// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer

/// A way to log in that the server offers.
enum ServerMechanism: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// The timestamped login, `/hmackey.php` and `/loginhmac.php`.
    case timestamp
    /// The form, `/login.php`.
    case form
    /// SCRAM, `/scram`.
    case scram
    /// The login page, `/auth/login`, which `--site` adds.
    case page
    /// Passkeys at the login page, which `--passkeys` adds.
    case passkey
}

extension LoginServer {
    /// The settings of SCRAM from the command line.
    struct SCRAMSettings: Sendable {
        /// The key and the kinds of mock verifiers.
        var mocks: ServerMocks
        /// The key of tokens, the same for all servers that share their state; `nil` for a new one at each start.
        var key: SecretBytes?
        /// What is offered of channel binding, with the certificate in use.
        var binding: @Sendable () -> SCRAM.Server.BindingOffer = { .none }
        /// Whether clients are told what a verifier was made of.
        var statesSubject = false
        /// Whether users can replace a verifier that was made of a password-equivalent.
        var replacesVerifiers = false

        /// The mechanism.
        var mechanism: SCRAMMechanism {
            get throws(LoginServerError) {
                var configuration = SCRAMConfiguration()
                configuration.binding = binding()
                configuration.currentBinding = binding
                configuration.statesSubject = statesSubject || replacesVerifiers
                configuration.replacesLayeredVerifiers = replacesVerifiers
                return try SCRAMMechanism(
                    mockKey: mocks.key,
                    mockKinds: mocks.kinds,
                    key: key,
                    configuration: configuration
                )
            }
        }
    }
}
