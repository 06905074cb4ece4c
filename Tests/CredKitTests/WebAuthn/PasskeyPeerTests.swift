// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import CredKitVectors
import Foundation
import Testing

/// Compares with py_webauthn and fido2 over responses with one change each: 300, and 10,000 with `CREDKIT_DEEP`.
///
/// They accept more: padding and unknown values of Base64, members that are repeated, `NaN`, frames, other encodings of
/// CBOR, keys with further members, and user handles of other users, which they leave to the caller. py_webauthn compares no
/// identifier with the attested one; fido2 accepts each port and subdomain, ignores counters and the flags of backups, and
/// verifies no attestation unless it is asked to.
@Suite struct PasskeyPeerTests {
    private struct Answer: Decodable {
        let change, response: String
        let isRegistration, isAccepted, pyWebAuthn, fido2: Bool
        let challenge, credentialID, publicKey, userHandle: HexBytes
        let signCount: UInt32
    }

    @Test func peersAcceptWhatIsAccepted() throws {
        let count = TestForm.isDeep ? 10_000 : 300
        let program = [try TestScripts.installedPython(), TestScripts.path("passkey_peers.py")]
        let lines = try Program.succeed(program + ["\(count)", "47"]).lines
        #expect(lines.count == count)
        for line in lines {
            let answer = try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
            let isAccepted = isAccepted(answer)
            #expect(isAccepted == answer.isAccepted, "\(answer.change): \(answer.response)")
            guard isAccepted else { continue }
            #expect(answer.fido2, "\(answer.change)")
            // It refuses synced passkeys whose counter did not increase, too.
            #expect(answer.pyWebAuthn || answer.change == "counter back True BE True", "\(answer.change)")
        }
    }

    private func isAccepted(_ answer: Answer) -> Bool {
        do {
            try verify(answer)
            return true
        } catch {
            return false
        }
    }

    private func verify(_ answer: Answer) throws {
        let challenge = try WebAuthn.Challenge(
            bytes: answer.challenge.bytes,
            expiry: PasskeyScene.time + .seconds(1)
        )
        guard !answer.isRegistration else {
            let registration = PasskeyRegistration(
                relyingParty: try PasskeyScene.site(),
                user: try WebAuthn.UserEntity(id: answer.userHandle.bytes, name: "", displayName: ""),
                challenge: challenge
            )
            _ = try registration.verify(.init(json: answer.response.utf8), at: PasskeyScene.time)
            return
        }
        let record = WebAuthn.CredentialRecord(
            id: answer.credentialID.bytes,
            publicKey: answer.publicKey.bytes,
            userHandle: answer.userHandle.bytes,
            signCount: answer.signCount,
            isUserVerificationInitialized: true,
            // Whether a counter that went back is accepted then depends on the response.
            isBackupEligible: true,
            isBackedUp: false,
            transports: [],
            aaguid: []
        )
        let assertion = PasskeyAssertion(relyingParty: try PasskeyScene.site(), challenge: challenge)
        _ = try assertion.verify(.init(json: answer.response.utf8), of: record, at: PasskeyScene.time)
    }
}
