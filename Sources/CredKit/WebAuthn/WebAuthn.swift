// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Passkeys: what a server has to check, by the W3C Recommendation
/// [Web Authentication Level 3](https://www.w3.org/TR/webauthn-3/).
///
/// ``PasskeyRegistration`` creates a passkey, ``PasskeyAssertion`` logs in with one. Both write the options for the browser
/// and verify its response, and neither does I/O: bytes and times are passed in, and the result is a value to store.
///
/// ```swift
/// let site = try WebAuthn.RelyingParty(
///     id: "example.org",
///     name: "Example",
///     origins: ["https://example.org"]
/// )
/// let registration = PasskeyRegistration(
///     relyingParty: site,
///     user: try WebAuthn.UserEntity(id: handle, name: "alice@example.org", displayName: "Alice"),
///     challenge: .random(expiry: .now + .seconds(300)),
///     excludedCredentials: stored.map(\.descriptor)
/// )
/// send(registration.optionsJSON())            // for PublicKeyCredential.parseCreationOptionsFromJSON
/// let record = try registration.verify(PasskeyRegistration.Response(json: body))
/// ```
///
/// The caller keeps the challenge between both steps, accepts it only once, and never stores two records with the same
/// identifier, not even for different users.
///
/// ## Algorithms and attestation
/// ES256, ES384, EdDSA over Ed25519 and RS256. Options ask for no attestation; responses may have none, or that of the
/// credential's own key (`packed`). Others are refused, since CredKit has no roots to verify them with.
///
/// ## Limits
/// A response has at most ``maximumResponseByteCount`` bytes. Client data and authenticator data have at most 4 KiB each,
/// an attestation object 8 KiB, a signature 1,024 bytes, an identifier 1,023, and a user handle 64.
public enum WebAuthn {
    /// The maximum length of a response as JSON, in bytes: 16 KiB.
    public static let maximumResponseByteCount = 16_384

    static let maximumClientDataByteCount = 4_096
    static let maximumAuthenticatorDataByteCount = 4_096
    static let maximumAttestationObjectByteCount = 8_192
    static let maximumSignatureByteCount = 1_024
    static let credentialIDByteCounts = 1...1_023
    static let userHandleByteCounts = 1...64

    /// Throws if a part of a response is too long.
    static func check(_ bytes: [UInt8], _ name: String, maximumByteCount: Int) throws(Error) {
        guard bytes.count <= maximumByteCount else {
            throw .overLimit("\(name) has \(bytes.count) bytes, of which \(maximumByteCount) are allowed")
        }
    }

    /// Throws if the length of a credential's identifier is not allowed.
    static func check(credentialID id: [UInt8]) throws(Error) {
        guard credentialIDByteCounts.contains(id.count) else { throw .invalidCredentialID }
    }
}
