// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Verifies whole responses. Only those with the signatures of the key of the seeds can be accepted.
    static let passkeyResponses = FuzzTarget("passkey-responses") { bytes in
        let scene = try PasskeyFuzzScene()
        try checkRegistration(bytes, scene)
        try checkLogin(bytes, scene)
    }

    private static func checkRegistration(_ bytes: [UInt8], _ scene: PasskeyFuzzScene) throws {
        guard let response = try? PasskeyRegistration.Response(json: bytes),
            let record = try? scene.registration.verify(response, at: scene.time)
        else { return }
        try requireEqual(record.id, response.credentialID, "the identifiers are the same")
        let object = try WebAuthn.AttestationObject(parsing: response.attestationObject)
        try requireEqual(
            object.authenticatorData.attestedCredential?.publicKey,
            record.publicKey,
            "the stored key is the attested one"
        )
        try require(
            object.authenticatorData.flags.contains([.userPresent, .userVerified]),
            "the user was verified"
        )
        try require(object.format == "packed" || object.statement.isEmpty, "an attestation is verified")
        // The members of its maps may have another order.
        guard object.format == "packed", record.publicKey == scene.record.publicKey else { return }
        let seed = try scene.decoded(PasskeyFuzzScene.attestationObject)
        try requireEqual(
            object.authenticatorDataBytes,
            try WebAuthn.AttestationObject(parsing: seed).authenticatorDataBytes,
            "attested authenticator data are those of the seeds"
        )
        try requireEqual(
            response.clientDataJSON,
            try scene.decoded(PasskeyFuzzScene.createdClientData),
            "attested client data are those of the seeds"
        )
    }

    private static func checkLogin(_ bytes: [UInt8], _ scene: PasskeyFuzzScene) throws {
        guard let response = try? PasskeyAssertion.Response(json: bytes),
            let verified = try? scene.assertion.verify(response, of: scene.record, at: scene.time)
        else { return }
        try requireEqual(verified.record, scene.record, "a login changes nothing in the record")
        try requireEqual(
            response.clientDataJSON,
            try scene.decoded(PasskeyFuzzScene.clientData),
            "signed client data are those of the seeds"
        )
        try requireEqual(
            response.authenticatorData,
            try scene.decoded(PasskeyFuzzScene.authenticatorData),
            "signed authenticator data are those of the seeds"
        )
        try requireEqual(
            response.signature,
            try scene.decoded(PasskeyFuzzScene.signature),
            "a signature is that of the seeds"
        )
        try requireEqual(response.userHandle, scene.record.userHandle, "a login names the user")
    }
}
