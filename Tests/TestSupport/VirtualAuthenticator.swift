// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit

/// An authenticator with one passkey for Ed25519, and the browser before it. A test changes one part: what is signed is what
/// was changed, so a response is right but for this one thing.
public struct VirtualAuthenticator: Sendable {
    private struct NoKey: Error {}

    /// What the client data say; `nil` for what the ceremony demands.
    public var type, challenge: String?
    /// The origin that the browser states.
    public var origin = "https://example.org"
    /// More members of the client data, as JSON.
    package var otherClientData = #""crossOrigin":false"#

    /// The site that the authenticator signs for.
    public var relyingPartyID = "example.org"
    /// User present and verified.
    public var flags: UInt8 = 0x05
    /// The number of signatures.
    public var signCount: UInt32 = 0
    package var extensions: CBORValue?
    /// What stands behind the authenticator data.
    package var trailingBytes: [UInt8] = []

    /// The identifier of the passkey.
    public var credentialID: [UInt8] = Array(1...32)
    /// The identifier in the response, if it is another one.
    public var responseID: [UInt8]?
    /// The user handle that it returns.
    public var userHandle: [UInt8]? = Array("handle".utf8)
    package var publicKey: CBORValue

    package var format = "none"
    /// The statement of the attestation; that of the format if it is `nil`.
    package var statement: CBORValue?
    /// The algorithm that the statement of `packed` names, and its members behind the signature.
    package var statementAlgorithm = -8
    package var otherStatement: [CBORValue.Member] = []
    /// Whether the last bit of the signature is changed.
    public var signsWrongly = false

    private let key: Ed25519.PrivateKey

    /// Creates an authenticator, whose key follows from a seed.
    public init(seed: UInt8 = 7) throws {
        guard let key = try Ed25519.PrivateKey.expanding([UInt8](repeating: seed, count: 32)) else {
            throw NoKey()
        }
        self.key = key
        publicKey = .null
        publicKey = coseKey()
    }

    /// The public key in the form of COSE, with another kind, algorithm or curve.
    package func coseKey(kind: Int = 1, algorithm: Int = -8, curve: Int = 6) -> CBORValue {
        CBORValue.map([
            .init(key: .integer(1), value: .integer(kind)),
            .init(key: .integer(3), value: .integer(algorithm)),
            .init(key: .integer(-1), value: .integer(curve)),
            .init(key: .integer(-2), value: .bytes(key.publicKey)),
        ])
    }

    /// Creates the passkey.
    package func register(_ registration: PasskeyRegistration) throws -> PasskeyRegistration.Response {
        let clientData = clientData("webauthn.create", registration.challenge)
        let data = authenticatorData(isRegistration: true)
        return try PasskeyRegistration.Response(
            credentialID: responseID ?? credentialID,
            clientDataJSON: clientData,
            attestationObject: attestationObject(data, signature: try sign(data, clientData)),
            transports: ["internal"]
        )
    }

    /// Logs in.
    package func assert(_ assertion: PasskeyAssertion) throws -> PasskeyAssertion.Response {
        let clientData = clientData("webauthn.get", assertion.challenge)
        let data = authenticatorData(isRegistration: false)
        return try PasskeyAssertion.Response(
            credentialID: responseID ?? credentialID,
            clientDataJSON: clientData,
            authenticatorData: data,
            signature: try sign(data, clientData),
            userHandle: userHandle
        )
    }

    private func clientData(_ ceremony: String, _ challenge: WebAuthn.Challenge) -> [UInt8] {
        let text = self.challenge ?? Base64.urlSafe.unpadded.encode(challenge.bytes)
        let other = otherClientData.isEmpty ? "" : "," + otherClientData
        return Array(
            #"{"type":"\#(type ?? ceremony)","challenge":"\#(text)","origin":"\#(origin)"\#(other)}"#.utf8
        )
    }

    private func authenticatorData(isRegistration: Bool) -> [UInt8] {
        var data = SHA256.hash(data: relyingPartyID.utf8).bytes
        data.append(flags | (isRegistration ? 0x40 : 0) | (extensions == nil ? 0 : 0x80))
        data += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: signCount >> $0) }
        if isRegistration || flags & 0x40 != 0 {
            data += [UInt8](repeating: 0xAA, count: 16)
            data += [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID
            data += publicKey.encoded
        }
        return data + (extensions?.encoded ?? []) + trailingBytes
    }

    private func attestationObject(_ data: [UInt8], signature: [UInt8]) -> [UInt8] {
        let packed = CBORValue.map(
            [
                .init(key: .text("alg"), value: .integer(statementAlgorithm)),
                .init(key: .text("sig"), value: .bytes(signature)),
            ] + otherStatement
        )
        return CBORValue.map([
            .init(key: .text("fmt"), value: .text(format)),
            .init(key: .text("attStmt"), value: statement ?? (format == "none" ? CBORValue.map([]) : packed)),
            .init(key: .text("authData"), value: .bytes(data)),
        ]).encoded
    }

    private func sign(_ data: [UInt8], _ clientData: [UInt8]) throws -> [UInt8] {
        let message = data + SHA256.hash(data: clientData).bytes
        guard var signature = key.sign(message.span) else { throw NoKey() }
        if signsWrongly { signature[31] ^= 1 }
        return signature
    }
}
