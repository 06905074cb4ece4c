// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit

/// An authenticator with one passkey, whose key pair is OpenSSL's, and the browser before it.
final class SampleAuthenticator {
    /// A response, and what was signed.
    struct Answer {
        /// What the browser sends.
        let json: [UInt8]
        /// The authenticator data, and the SHA-256 of the client data.
        let message: [UInt8]
        let signature: [UInt8]
    }

    static let site = "example.org"
    static let origin = "https://example.org"

    let credentialID: [UInt8]
    private let algorithm: WebAuthn.Algorithm
    private let pair: OpaquePointer

    /// Creates a passkey, whose identifier has 32 equal bytes.
    init(_ algorithm: WebAuthn.Algorithm, number: UInt8) throws {
        guard let pair = baseline_authenticator_open(Int32(algorithm.rawValue)) else {
            throw Failure(description: "OpenSSL creates no key for \(algorithm)")
        }
        self.pair = pair
        self.algorithm = algorithm
        credentialID = [UInt8](repeating: number, count: 32)
    }

    deinit { baseline_authenticator_close(pair) }

    /// What a server stores about the passkey, which is synced.
    func record(userHandle: [UInt8]) -> WebAuthn.CredentialRecord {
        WebAuthn.CredentialRecord(
            id: credentialID,
            publicKey: publicKey,
            userHandle: userHandle,
            signCount: 0,
            isUserVerificationInitialized: true,
            isBackupEligible: true,
            isBackedUp: true,
            transports: [],
            aaguid: [UInt8](repeating: 0, count: 16)
        )
    }

    /// The public key in the form of COSE.
    private var publicKey: [UInt8] {
        let (first, second) = (part(0), part(1))
        var key: [UInt8]
        switch algorithm {
        case .es256:
            key = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
            key += first
            key += [0x22, 0x58, 0x20]
            key += second
        case .edDSA:
            key = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20]
            key += first
        default:
            // RS256 with a modulus of 256 bytes, and the exponent 65,537.
            key = [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00]
            key += first
            key += [0x21, 0x43]
            key += second
        }
        return key
    }

    private func part(_ number: Int32) -> [UInt8] {
        var part = [UInt8](repeating: 0, count: Self.partSize)
        let count = baseline_authenticator_part(pair, number, &part)
        return Array(part[..<count])
    }

    /// Answers a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge, as base64url.
    ///   - userHandle: The user handle in the response.
    ///   - signature: The signature to send; `nil` for the right one.
    /// - Returns: The answer.
    /// - Throws: ``Failure`` if OpenSSL does not sign.
    func answer(_ challenge: String, userHandle: [UInt8], signature: [UInt8]? = nil) throws -> Answer {
        let members = #"{"type":"webauthn.get","challenge":"\#(challenge)","origin":"\#(Self.origin)""#
        let clientData = Array((members + #","crossOrigin":false}"#).utf8)
        // The user is present and verified, the passkey can be synced and is; nothing is counted.
        let data = Self.digest(Array(Self.site.utf8)) + [0x1D, 0, 0, 0, 0]
        let message = data + Self.digest(clientData)
        let signature = try signature ?? sign(message)
        func text(_ bytes: [UInt8]) -> String { Base64.urlSafe.unpadded.encode(bytes) }
        let id = text(credentialID)
        let parts = [
            #"{"id":"\#(id)","rawId":"\#(id)","response":{"authenticatorData":"\#(text(data))""#,
            #""clientDataJSON":"\#(text(clientData))","signature":"\#(text(signature))""#,
            #""userHandle":"\#(text(userHandle))"},"authenticatorAttachment":"platform""#,
            #""clientExtensionResults":{},"type":"public-key"}"#,
        ]
        return Answer(
            json: Array(parts.joined(separator: ",").utf8),
            message: message,
            signature: signature
        )
    }

    /// Returns whether OpenSSL imports the key and finds the signature of an answer valid, each time.
    func verify(_ answer: Answer, iterations: Int = 1) -> Bool {
        let (message, signature) = (answer.message, answer.signature)
        return baseline_passkey_verify(
            pair,
            message,
            message.count,
            signature,
            signature.count,
            iterations
        ) == 0
    }

    private func sign(_ message: [UInt8]) throws -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.partSize)
        let count = baseline_authenticator_sign(pair, message, message.count, &signature)
        guard count > 0 else { throw Failure(description: "OpenSSL does not sign") }
        return Array(signature[..<count])
    }

    private static let partSize = Int(BASELINE_PART_SIZE)

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        baseline_sha256(bytes, bytes.count, &digest)
        return digest
    }
}
