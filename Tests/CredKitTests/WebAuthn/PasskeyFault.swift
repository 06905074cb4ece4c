// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Testing

/// A change of a right response, and the error that it must lead to.
struct PasskeyFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: WebAuthn.Error
    let change: @Sendable (inout VirtualAuthenticator) -> Void

    init(
        _ name: String,
        _ error: WebAuthn.Error,
        _ change: @escaping @Sendable (inout VirtualAuthenticator) -> Void
    ) {
        testDescription = name
        self.error = error
        self.change = change
    }

    static func origin(_ origin: String) -> Self {
        Self("origin '\(origin)'", .wrongOrigin) { $0.origin = origin }
    }

    static func clientData(_ members: String, _ error: WebAuthn.Error) -> Self {
        Self("client data with \(members)", error) { $0.otherClientData = members }
    }

    /// What is refused in both ceremonies.
    static let both: [PasskeyFault] = [
        Self("unknown type", .wrongType) { $0.type = "payment.get" },
        Self("other challenge", .wrongChallenge) { $0.challenge = "AAAAAAAAAAAAAAAAAAAAAA" },
        Self("empty challenge", .wrongChallenge) { $0.challenge = "" },
        Self("padded challenge", .wrongChallenge) {
            $0.challenge = Base64.urlSafe.encode([UInt8](100..<132))
        },
        .origin("https://example.org."), .origin("https://Example.org"), .origin("http://example.org"),
        .origin("https://example.org:443"), .origin("https://example.org:8443"),
        .origin("https://evil-example.org"), .origin("https://example.org.evil.test"),
        .origin("https://login.example.org"), .origin("https://example.org/"), .origin("null"), .origin(""),
        .clientData(#""crossOrigin":true"#, .crossOrigin),
        .clientData(#""crossOrigin":false,"topOrigin":"https://example.org""#, .crossOrigin),
        .clientData(#""topOrigin":"https://example.com""#, .crossOrigin),
        .clientData(#""crossOrigin":"true""#, .malformedClientData),
        .clientData(#""crossOrigin":null"#, .malformedClientData),
        .clientData(#""topOrigin":1"#, .malformedClientData),
        .clientData(#""type":"webauthn.get""#, .malformedClientData),
        .clientData(#""origin":"https://example.org""#, .malformedClientData),
        .clientData(#""new":1}"#, .malformedClientData),
        Self("other site", .wrongRelyingParty) { $0.relyingPartyID = "example.com" },
        Self("user not present", .userNotPresent) { $0.flags = 0x04 },
        Self("user not verified", .userNotVerified) { $0.flags = 0x01 },
        Self("backed up and not eligible", .invalidBackupState) { $0.flags = 0x15 },
        Self("bytes behind the data", .malformedAuthenticatorData) { $0.trailingBytes = [0] },
        Self("extensions without their flag", .malformedAuthenticatorData) { $0.trailingBytes = [0xA0] },
        Self("extensions that are no map", .malformedAuthenticatorData) { $0.extensions = .array([]) },
        Self("two maps of extensions", .malformedAuthenticatorData) {
            $0.extensions = CBORValue.map([])
            $0.trailingBytes = [0xA0]
        },
    ]
}
