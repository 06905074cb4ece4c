// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport

/// The site, the account and the time that tests use.
enum PasskeyScene {
    static let time = UnixTime(1_800_000_000)

    static func site() throws -> WebAuthn.RelyingParty {
        try WebAuthn.RelyingParty(id: "example.org", name: "Example", origins: ["https://example.org"])
    }

    static func challenge() throws -> WebAuthn.Challenge {
        try WebAuthn.Challenge(bytes: Array(100..<132), expiry: time + .seconds(300))
    }

    static func registration(
        _ verification: WebAuthn.UserVerification = .required,
        algorithms: [WebAuthn.Algorithm] = WebAuthn.Algorithm.offered,
        excluding: [[UInt8]] = []
    ) throws -> PasskeyRegistration {
        PasskeyRegistration(
            relyingParty: try site(),
            user: try WebAuthn.UserEntity(id: Array("handle".utf8), name: "alice", displayName: "Alice"),
            challenge: try challenge(),
            userVerification: verification,
            algorithms: algorithms,
            excludedCredentials: excluding.map { WebAuthn.CredentialDescriptor(id: $0) }
        )
    }

    static func assertion(
        _ verification: WebAuthn.UserVerification = .required,
        userHandle: [UInt8]? = nil,
        allowing: [[UInt8]] = []
    ) throws -> PasskeyAssertion {
        PasskeyAssertion(
            relyingParty: try site(),
            challenge: try challenge(),
            userVerification: verification,
            userHandle: userHandle,
            allowedCredentials: allowing.map { WebAuthn.CredentialDescriptor(id: $0) }
        )
    }

    /// The record of the passkey of an authenticator.
    static func record(_ authenticator: VirtualAuthenticator) throws -> WebAuthn.CredentialRecord {
        let registration = try registration()
        return try registration.verify(authenticator.register(registration), at: time)
    }
}
