// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The creation of a passkey: the options for the browser, and what its response must fulfil
/// ([registration ceremony](https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential)).
///
/// A server that keeps no state between both steps creates an equal value for the second one.
public struct PasskeyRegistration: Sendable {
    /// The site.
    public let relyingParty: WebAuthn.RelyingParty

    /// The account that the passkey is for.
    public let user: WebAuthn.UserEntity

    /// What the response must be for.
    public let challenge: WebAuthn.Challenge

    /// Whether the authenticator has to verify the user.
    public let userVerification: WebAuthn.UserVerification

    /// The accepted algorithms, the preferred one first.
    public let algorithms: [WebAuthn.Algorithm]

    /// The passkeys that the account has already. An authenticator with one of them creates no other one, which would
    /// overwrite it.
    public let excludedCredentials: [WebAuthn.CredentialDescriptor]

    /// The authenticators that the browser should suggest, the preferred one first.
    public let hints: [WebAuthn.Hint]

    /// Begins a registration.
    ///
    /// - Parameters:
    ///   - relyingParty: The site.
    ///   - user: The account that the passkey is for.
    ///   - challenge: What the response must be for.
    ///   - userVerification: Whether the authenticator has to verify the user.
    ///   - algorithms: The accepted algorithms, the preferred one first.
    ///   - excludedCredentials: All passkeys that the account has already.
    ///   - hints: The authenticators that the browser should suggest, the preferred one first.
    public init(
        relyingParty: WebAuthn.RelyingParty,
        user: WebAuthn.UserEntity,
        challenge: WebAuthn.Challenge,
        userVerification: WebAuthn.UserVerification = .required,
        algorithms: [WebAuthn.Algorithm] = WebAuthn.Algorithm.offered,
        excludedCredentials: [WebAuthn.CredentialDescriptor] = [],
        hints: [WebAuthn.Hint] = []
    ) {
        self.relyingParty = relyingParty
        self.user = user
        self.challenge = challenge
        self.userVerification = userVerification
        self.algorithms = algorithms
        self.excludedCredentials = excludedCredentials
        self.hints = hints
    }

    /// Returns the options for `PublicKeyCredential.parseCreationOptionsFromJSON()` and `navigator.credentials.create()`.
    ///
    /// They ask for a passkey that can be found without a user name, and for no attestation.
    ///
    /// - Parameter time: The present time: the browser gives up when the challenge expires.
    /// - Returns: JSON, which may stand in a script element of HTML.
    public func optionsJSON(at time: UnixTime = .now) -> String {
        let parameters = algorithms.map { algorithm in
            StrictJSON.object(["type": .string("public-key"), "alg": .number("\(algorithm.rawValue)")])
        }
        return StrictJSON.object([
            "rp": .object(["id": .string(relyingParty.id), "name": .string(relyingParty.name)]),
            "user": .object([
                "id": .string(Base64.urlSafe.unpadded.encode(user.id)),
                "name": .string(user.name),
                "displayName": .string(user.displayName),
            ]),
            "challenge": .string(challenge.text),
            "pubKeyCredParams": .array(parameters),
            "timeout": .number("\(challenge.timeout(at: time))"),
            "excludeCredentials": .array(excludedCredentials.map(\.json)),
            "authenticatorSelection": .object([
                "residentKey": .string("required"),
                "requireResidentKey": .bool(true),
                "userVerification": .string(userVerification.rawValue),
            ]),
            "hints": .array(hints.map { .string($0.rawValue) }),
            "attestation": .string("none"),
        ]).text
    }

    /// Verifies a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - time: The present time.
    /// - Returns: The record to store, unless another record of any user has its identifier. Checking that and storing
    ///   the record is one step.
    /// - Throws: ``WebAuthn/Error`` with the check that failed.
    public func verify(
        _ response: Response,
        at time: UnixTime = .now
    ) throws(WebAuthn.Error) -> WebAuthn.CredentialRecord {
        let clientData = try WebAuthn.CollectedClientData(parsing: response.clientDataJSON)
        try clientData.check(.registration, challenge: challenge, origins: relyingParty.origins, at: time)
        let object = try WebAuthn.AttestationObject(parsing: response.attestationObject)
        let data = object.authenticatorData
        try data.check(for: relyingParty, userVerification)
        guard let credential = data.attestedCredential else {
            throw .malformedAuthenticatorData("it has no credential")
        }
        let key = try COSEKey(parsing: credential.publicKey)
        guard algorithms.contains(key.algorithm) else { throw .algorithmNotOffered }
        try object.verify(key: key, clientDataJSON: response.clientDataJSON)
        guard credential.id == response.credentialID else { throw .credentialIDMismatch }
        guard !excludedCredentials.contains(where: { $0.id == credential.id }) else {
            throw .credentialExists
        }
        return WebAuthn.CredentialRecord(
            id: credential.id,
            publicKey: credential.publicKey,
            userHandle: user.id,
            signCount: data.signCount,
            isUserVerificationInitialized: data.flags.contains(.userVerified),
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            transports: response.transports,
            aaguid: credential.aaguid
        )
    }
}
