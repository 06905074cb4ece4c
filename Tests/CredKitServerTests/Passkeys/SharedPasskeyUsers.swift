// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport

/// Users with a passkey each. They take turns: a server remembers 64 accepted answers of a user for the five minutes in which they
/// could come again, and refuses the next ones until then.
enum SharedPasskeyUsers {
    static func name(_ number: Int) -> String { "user \(number)" }

    /// A table of some users.
    static func accounts(_ count: Int) throws -> InMemoryAccounts {
        let credential = try StoredCredential("$1$abc$dPsF0HDVjaO430ypNfqhr.")
        let users = (0..<count).map { LoginAccount(name: name($0), credential: credential) }
        return InMemoryAccounts(try PasskeyServer.accounts() + users)
    }

    /// Adds a passkey with a random identifier.
    static func enrol(
        _ user: String,
        at server: PasskeyServer,
        signCount: UInt32 = 0
    ) async throws -> VirtualAuthenticator {
        var authenticator = try VirtualAuthenticator()
        authenticator.credentialID = SecureRandom.bytes(count: 32)
        authenticator.signCount = signCount
        try await server.enrol(&authenticator, for: user, at: .now)
        return authenticator
    }
}
