// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

/// The ceremonies of the seeds, for the key of Ed25519 whose private key is 32 times 7.
struct PasskeyFuzzScene {
    let time = UnixTime(0)
    let registration: PasskeyRegistration
    let assertion: PasskeyAssertion
    let record: WebAuthn.CredentialRecord

    init() throws {
        let site = try WebAuthn.RelyingParty(id: "example.org", name: "", origins: ["https://example.org"])
        let challenge = try WebAuthn.Challenge(bytes: Array(100..<132), expiry: time + .seconds(1))
        let handle = Array("handle".utf8)
        registration = PasskeyRegistration(
            relyingParty: site,
            user: try WebAuthn.UserEntity(id: handle, name: "", displayName: ""),
            challenge: challenge,
            algorithms: WebAuthn.Algorithm.allCases
        )
        assertion = PasskeyAssertion(relyingParty: site, challenge: challenge)
        let object = try Base64.urlSafe.unpadded.decode(Self.attestationObject)
        let data = try WebAuthn.AttestationObject(parsing: object).authenticatorData
        record = WebAuthn.CredentialRecord(
            id: Array(1...32),
            publicKey: data.attestedCredential?.publicKey ?? [],
            userHandle: handle,
            signCount: 0,
            isUserVerificationInitialized: true,
            isBackupEligible: false,
            isBackedUp: false,
            transports: [],
            aaguid: [UInt8](repeating: 0xAA, count: 16)
        )
    }

    func decoded(_ text: String) throws -> [UInt8] { try Base64.urlSafe.unpadded.decode(text) }

    static let createdClientData =
        "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiWkdWbVoyaHBhbXRzYlc1dmNIRnljM1IxZG5k"
        + "NGVYcDdmSDEtZjRDQmdvTSIsIm9yaWdpbiI6Imh0dHBzOi8vZXhhbXBsZS5vcmciLCJjcm9zc09yaWdpbiI6ZmFs"
        + "c2V9"
    static let attestationObject =
        "o2NmbXRmcGFja2VkZ2F0dFN0bXSiY2FsZydjc2lnWEA5VqRwT_cBCFPTg4lCVOzjXxk-QYO5PqBARzu6W4WoyYFW"
        + "XD7Hp4AB8OAQbaXxxgvxtLIINQtYcgCXvJZlh8YEaGF1dGhEYXRhWIG_q8N0MpWLBjNg061kYcnEc1rn-O3UZZKl"
        + "4PAUUrLktUUAAAAAqqqqqqqqqqqqqqqqqqqqqgAgAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyCkAQED"
        + "JyAGIVgg6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw"
    static let clientData =
        "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiWkdWbVoyaHBhbXRzYlc1dmNIRnljM1IxZG5kNGVY"
        + "cDdmSDEtZjRDQmdvTSIsIm9yaWdpbiI6Imh0dHBzOi8vZXhhbXBsZS5vcmciLCJjcm9zc09yaWdpbiI6ZmFsc2V9"
    static let authenticatorData = "v6vDdDKViwYzYNOtZGHJxHNa5_jt1GWSpeDwFFKy5LUFAAAAAA"
    static let signature =
        "9JrWjT0m0IiFXWr9enOdegZwQwQgdqaoCMar2PwHF_OBebNGkNymA29awbNvt51JCq3yuSm5ryd9TPjBGFTKDw"
}
