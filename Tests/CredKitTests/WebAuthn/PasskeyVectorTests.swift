// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitVectors
import Testing

/// Published responses, and those of other implementations.
@Suite struct PasskeyVectorTests {
    private struct Recommendation: Decodable, Sendable {
        let section: String
        let credentialID, publicKey, registrationChallenge, registrationClientDataJSON: HexBytes
        let registrationAuthenticatorData, challenge, clientDataJSON, authenticatorData, signature: HexBytes
        let attestationObject: HexBytes?
    }

    private func record(id: [UInt8], key: [UInt8], handle: [UInt8]) -> WebAuthn.CredentialRecord {
        WebAuthn.CredentialRecord(
            id: id,
            publicKey: key,
            userHandle: handle,
            signCount: 0,
            isUserVerificationInitialized: false,
            isBackupEligible: false,
            isBackedUp: false,
            transports: [],
            aaguid: []
        )
    }

    private func challenge(_ bytes: [UInt8]) throws -> WebAuthn.Challenge {
        try WebAuthn.Challenge(bytes: bytes, expiry: PasskeyScene.time + .seconds(1))
    }

    /// Section 16 of the Recommendation: frames are refused, and so are the algorithms ES512 and Ed448.
    @Test func examplesOfTheRecommendation() throws {
        let cases = try VectorFile<Recommendation>.load("webauthn-l3").cases
        #expect(cases.count == 15)
        for vector in cases {
            try verifyRegistration(vector)
            try verifyAssertion(vector)
        }
    }

    private func verifyRegistration(_ vector: Recommendation) throws {
        let data = try WebAuthn.AuthenticatorData(parsing: vector.registrationAuthenticatorData.bytes)
        let credential = try #require(data.attestedCredential)
        #expect(credential.id == vector.credentialID.bytes, "\(vector.section)")
        #expect(credential.publicKey == vector.publicKey.bytes, "\(vector.section)")
        guard let object = vector.attestationObject?.bytes else { return }
        let registration = PasskeyRegistration(
            relyingParty: try PasskeyScene.site(),
            user: try WebAuthn.UserEntity(id: [1], name: "", displayName: ""),
            challenge: try challenge(vector.registrationChallenge.bytes),
            userVerification: .preferred
        )
        let response = try PasskeyRegistration.Response(
            credentialID: vector.credentialID.bytes,
            clientDataJSON: vector.registrationClientDataJSON.bytes,
            attestationObject: object
        )
        guard !["16.4", "16.5"].contains(vector.section) else {
            #expect(throws: WebAuthn.Error.crossOrigin) {
                try registration.verify(response, at: PasskeyScene.time)
            }
            return
        }
        let record = try registration.verify(response, at: PasskeyScene.time)
        #expect(record.id == vector.credentialID.bytes && record.publicKey == vector.publicKey.bytes)
    }

    private func verifyAssertion(_ vector: Recommendation) throws {
        guard !["16.9", "16.12"].contains(vector.section) else {
            #expect(throws: WebAuthn.Error.algorithmNotOffered) {
                try COSEKey(parsing: vector.publicKey.bytes)
            }
            return
        }
        let key = try COSEKey(parsing: vector.publicKey.bytes)
        let signed = vector.authenticatorData.bytes + SHA256.hash(data: vector.clientDataJSON.bytes)
        #expect(key.isValid(vector.signature.bytes, of: signed), "\(vector.section)")
        let assertion = PasskeyAssertion(
            relyingParty: try PasskeyScene.site(),
            challenge: try challenge(vector.challenge.bytes),
            userVerification: .preferred,
            userHandle: [1]
        )
        let response = try PasskeyAssertion.Response(
            credentialID: vector.credentialID.bytes,
            clientDataJSON: vector.clientDataJSON.bytes,
            authenticatorData: vector.authenticatorData.bytes,
            signature: vector.signature.bytes
        )
        let record = record(id: vector.credentialID.bytes, key: vector.publicKey.bytes, handle: [1])
        guard !["16.4", "16.5"].contains(vector.section) else {
            #expect(throws: WebAuthn.Error.crossOrigin) {
                try assertion.verify(response, of: record, at: PasskeyScene.time)
            }
            return
        }
        _ = try assertion.verify(response, of: record, at: PasskeyScene.time)
    }

    private struct Generated: Decodable, Sendable {
        let algorithm, counter: Int
        let flags: UInt8
        let attestation, registration, assertion: String
        let userHandle, registrationChallenge, challenge: HexBytes
    }

    /// Keys of all algorithms, with and without an attestation, made by fido2.
    @Test func passkeysOfFIDO2() throws {
        let cases = try VectorFile<Generated>.load("passkeys").cases
        #expect(Set(cases.map(\.algorithm)) == Set(WebAuthn.Algorithm.allCases.map(\.rawValue)))
        for vector in cases {
            let registration = PasskeyRegistration(
                relyingParty: try PasskeyScene.site(),
                user: try WebAuthn.UserEntity(id: vector.userHandle.bytes, name: "", displayName: ""),
                challenge: try challenge(vector.registrationChallenge.bytes),
                algorithms: WebAuthn.Algorithm.allCases
            )
            let record = try registration.verify(.init(json: vector.registration.utf8), at: PasskeyScene.time)
            #expect(Int(record.signCount) == vector.counter)
            #expect(record.isBackupEligible == (vector.flags & 0x08 != 0))
            #expect(record.isBackedUp == (vector.flags & 0x10 != 0))
            #expect(record.transports == ["internal", "hybrid"])
            let assertion = PasskeyAssertion(
                relyingParty: try PasskeyScene.site(),
                challenge: try challenge(vector.challenge.bytes)
            )
            let response = try PasskeyAssertion.Response(json: vector.assertion.utf8)
            let verified = try assertion.verify(response, of: record, at: PasskeyScene.time)
            #expect(Int(verified.record.signCount) == vector.counter + 1)
            try refuseChangedSignatures(response, assertion, record)
        }
    }

    /// Each byte of a signature and of what it is for counts.
    private func refuseChangedSignatures(
        _ response: PasskeyAssertion.Response,
        _ assertion: PasskeyAssertion,
        _ record: WebAuthn.CredentialRecord
    ) throws {
        func isRefused(data: [UInt8], signature: [UInt8]) throws -> Bool {
            let changed = try PasskeyAssertion.Response(
                credentialID: response.credentialID,
                clientDataJSON: response.clientDataJSON,
                authenticatorData: data,
                signature: signature,
                userHandle: response.userHandle
            )
            return (try? assertion.verify(changed, of: record, at: PasskeyScene.time)) == nil
        }
        for index in response.signature.indices {
            var signature = response.signature
            signature[index] ^= 1
            #expect(try isRefused(data: response.authenticatorData, signature: signature), "byte \(index)")
        }
        for index in response.authenticatorData.indices {
            var data = response.authenticatorData
            data[index] ^= 2
            #expect(try isRefused(data: data, signature: response.signature), "byte \(index)")
        }
        for signature in [[], response.signature + [0], response.signature.dropLast()] as [[UInt8]] {
            #expect(try isRefused(data: response.authenticatorData, signature: signature))
        }
    }

    private struct Peer: Decodable, Sendable {
        let ceremony, response, relyingPartyID: String
        let origins: [String]
        let challenge: HexBytes
        let requiresUserVerification, isAccepted: Bool
        let publicKey: HexBytes?
        let signCount: UInt32?
        let error: String?
    }

    /// What the tests of py_webauthn verify: responses of browsers and devices, and malformed ones.
    @Test func responsesOfPyWebAuthn() throws {
        var accepted: [String: Int] = [:]
        for vector in try VectorFile<Peer>.load("py-webauthn").cases {
            do {
                try verify(vector)
                #expect(vector.isAccepted, "\(vector.response)")
                accepted[vector.ceremony, default: 0] += 1
            } catch let error as WebAuthn.Error {
                #expect(!vector.isAccepted, "\(error): \(vector.response)")
                if let code = vector.error { #expect(error.code.rawValue == code, "\(vector.response)") }
            }
        }
        #expect(accepted == ["registration": 3, "assertion": 4])
    }

    private func verify(_ vector: Peer) throws {
        let site = try WebAuthn.RelyingParty(id: vector.relyingPartyID, name: "", origins: vector.origins)
        let verification = vector.requiresUserVerification ? WebAuthn.UserVerification.required : .preferred
        if vector.ceremony == "registration" {
            let registration = PasskeyRegistration(
                relyingParty: site,
                user: try WebAuthn.UserEntity(id: [1], name: "", displayName: ""),
                challenge: try challenge(vector.challenge.bytes),
                userVerification: verification,
                algorithms: WebAuthn.Algorithm.allCases
            )
            _ = try registration.verify(.init(json: vector.response.utf8), at: PasskeyScene.time)
        } else {
            let response = try PasskeyAssertion.Response(json: vector.response.utf8)
            let assertion = PasskeyAssertion(
                relyingParty: site,
                challenge: try challenge(vector.challenge.bytes),
                userVerification: verification,
                userHandle: response.userHandle ?? [1]
            )
            let key = vector.publicKey?.bytes ?? []
            var record = record(id: response.credentialID, key: key, handle: response.userHandle ?? [1])
            record.signCount = vector.signCount ?? 0
            _ = try assertion.verify(response, of: record, at: PasskeyScene.time)
        }
    }
}
