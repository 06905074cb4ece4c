// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Testing

/// Each check of a registration, with a response that is right but for one thing.
@Suite struct PasskeyRegistrationTests {
    private func verify(
        _ authenticator: VirtualAuthenticator,
        _ registration: PasskeyRegistration,
        at time: UnixTime = PasskeyScene.time
    ) throws -> WebAuthn.CredentialRecord {
        try registration.verify(authenticator.register(registration), at: time)
    }

    @Test func aRightResponseIsARecord() throws {
        var authenticator = try VirtualAuthenticator()
        authenticator.flags = 0x1D
        authenticator.signCount = 0x0102_0304
        authenticator.extensions = CBORValue.map([.init(key: .text("credProtect"), value: .integer(2))])
        let record = try verify(authenticator, PasskeyScene.registration())
        #expect(
            record
                == WebAuthn.CredentialRecord(
                    id: authenticator.credentialID,
                    publicKey: authenticator.publicKey.encoded,
                    userHandle: Array("handle".utf8),
                    signCount: 0x0102_0304,
                    isUserVerificationInitialized: true,
                    isBackupEligible: true,
                    isBackedUp: true,
                    transports: ["internal"],
                    aaguid: [UInt8](repeating: 0xAA, count: 16)
                )
        )
    }

    @Test(arguments: PasskeyFault.both + PasskeyRegistrationTests.faults)
    func oneFaultIsRefused(_ fault: PasskeyFault) throws {
        var authenticator = try VirtualAuthenticator()
        fault.change(&authenticator)
        let registration = try PasskeyScene.registration()
        #expect(throws: fault.error) { try verify(authenticator, registration) }
    }

    static let faults: [PasskeyFault] = [
        PasskeyFault("the other ceremony", .wrongType) { $0.type = "webauthn.get" },
        PasskeyFault("statement of none", .invalidAttestation) {
            $0.statement = CBORValue.map([.init(key: .text("alg"), value: .integer(-8))])
        },
        PasskeyFault("format with certificates", .unsupportedAttestation) { $0.format = "fido-u2f" },
        PasskeyFault("unknown format", .unsupportedAttestation) { $0.format = "None" },
        PasskeyFault("packed with a certificate", .unsupportedAttestation) {
            $0.format = "packed"
            $0.otherStatement = [.init(key: .text("x5c"), value: .array([.bytes([0x30])]))]
        },
        PasskeyFault("packed with another member", .invalidAttestation) {
            $0.format = "packed"
            $0.otherStatement = [.init(key: .text("ecdaaKeyId"), value: .bytes([0x30]))]
        },
        PasskeyFault("packed with another algorithm", .invalidAttestation) {
            $0.format = "packed"
            $0.statementAlgorithm = -7
        },
        PasskeyFault("packed without a signature", .invalidAttestation) {
            $0.format = "packed"
            $0.statement = CBORValue.map([.init(key: .text("alg"), value: .integer(-8))])
        },
        PasskeyFault("packed with a wrong signature", .invalidAttestation) {
            $0.format = "packed"
            $0.signsWrongly = true
        },
        PasskeyFault("statement that is no map", .malformedAttestationObject) { $0.statement = .array([]) },
        PasskeyFault("long name of a format", .malformedAttestationObject) {
            $0.format = String(repeating: "x", count: 33)
        },
        PasskeyFault("no identifier", .invalidCredentialID) {
            $0.credentialID = []
            $0.responseID = [1]
        },
        PasskeyFault("long identifier", .invalidCredentialID) {
            $0.credentialID = [UInt8](repeating: 1, count: 1_024)
            $0.responseID = [1]
        },
        PasskeyFault("another identifier", .credentialIDMismatch) { $0.responseID = [1] },
        PasskeyFault("unknown algorithm", .algorithmNotOffered) {
            $0.publicKey = $0.coseKey(algorithm: -19)
        },
        PasskeyFault("algorithm of another kind of key", .invalidPublicKey) {
            $0.publicKey = $0.coseKey(kind: 2)
        },
        PasskeyFault("algorithm of another curve", .invalidPublicKey) { $0.publicKey = $0.coseKey(curve: 7) },
        PasskeyFault("no public key", .invalidPublicKey) { $0.publicKey = .null },
    ]

    @Test func longestAndShortestIdentifiersAreAccepted() throws {
        for count in [1, 1_023] {
            var authenticator = try VirtualAuthenticator()
            authenticator.credentialID = [UInt8](repeating: 1, count: count)
            #expect(try verify(authenticator, PasskeyScene.registration()).id.count == count)
        }
    }

    @Test func challengeExpires() throws {
        let authenticator = try VirtualAuthenticator()
        let registration = try PasskeyScene.registration()
        _ = try verify(authenticator, registration, at: PasskeyScene.time + .seconds(299))
        #expect(throws: WebAuthn.Error.challengeExpired) {
            try verify(authenticator, registration, at: PasskeyScene.time + .seconds(300))
        }
    }

    @Test func algorithmMustBeOffered() throws {
        let registration = try PasskeyScene.registration(algorithms: [.es256, .rs256])
        let authenticator = try VirtualAuthenticator()
        #expect(throws: WebAuthn.Error.algorithmNotOffered) { try verify(authenticator, registration) }
    }

    @Test func excludedCredentialIsRefused() throws {
        let authenticator = try VirtualAuthenticator()
        let registration = try PasskeyScene.registration(excluding: [[9], authenticator.credentialID])
        #expect(throws: WebAuthn.Error.credentialExists) { try verify(authenticator, registration) }
        _ = try verify(authenticator, PasskeyScene.registration(excluding: [[9]]))
    }

    @Test func verificationIsDemandedByTheCeremony() throws {
        var authenticator = try VirtualAuthenticator()
        authenticator.flags = 0x01
        for verification in [WebAuthn.UserVerification.preferred, .discouraged] {
            let record = try verify(authenticator, PasskeyScene.registration(verification))
            #expect(!record.isUserVerificationInitialized)
        }
    }

    @Test func reservedFlagsAndUnknownMembersAreIgnored() throws {
        var authenticator = try VirtualAuthenticator()
        authenticator.flags = 0x27
        authenticator.otherClientData = #""other_keys_can_be_added_here":{"a":[1,null]}"#
        _ = try verify(authenticator, PasskeyScene.registration())
        authenticator.otherClientData = ""
        _ = try verify(authenticator, PasskeyScene.registration())
    }

    @Test func attestationOfTheOwnKeyIsAccepted() throws {
        var authenticator = try VirtualAuthenticator()
        authenticator.format = "packed"
        _ = try verify(authenticator, PasskeyScene.registration())
    }
}
