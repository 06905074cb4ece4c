// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A login with a passkey: the options for the browser, and what its response must fulfil
/// ([authentication ceremony](https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion)).
///
/// A server that keeps no state between both steps creates an equal value for the second one.
///
/// ```swift
/// let assertion = PasskeyAssertion(relyingParty: site, challenge: .random(expiry: .now + .seconds(300)))
/// send(assertion.optionsJSON())               // for PublicKeyCredential.parseRequestOptionsFromJSON
/// let response = try PasskeyAssertion.Response(json: body)
/// guard let record = store.record(id: response.credentialID) else { return reject() }
/// let verified = try assertion.verify(response, of: record)
/// store.update(verified.record, from: record) // the login is that of the account with record.userHandle
/// ```
public struct PasskeyAssertion: Sendable {
    /// The site.
    public let relyingParty: WebAuthn.RelyingParty

    /// What the response must be for.
    public let challenge: WebAuthn.Challenge

    /// Whether the authenticator has to verify the user.
    public let userVerification: WebAuthn.UserVerification

    /// The user handle of the account, if it is known from an earlier step; `nil` for a login without a user name.
    public let userHandle: [UInt8]?

    /// The accepted passkeys; any if it is empty.
    public let allowedCredentials: [WebAuthn.CredentialDescriptor]

    /// The authenticators that the browser should suggest, the preferred one first.
    public let hints: [WebAuthn.Hint]

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - relyingParty: The site.
    ///   - challenge: What the response must be for.
    ///   - userVerification: Whether the authenticator has to verify the user.
    ///   - userHandle: The user handle of the account, if it is known from an earlier step; `nil` for a login without a user
    ///     name.
    ///   - allowedCredentials: The accepted passkeys; any if it is empty. They tell which passkeys an account has, so name
    ///     them only to a user whose password was right.
    ///   - hints: The authenticators that the browser should suggest, the preferred one first.
    public init(
        relyingParty: WebAuthn.RelyingParty,
        challenge: WebAuthn.Challenge,
        userVerification: WebAuthn.UserVerification = .required,
        userHandle: [UInt8]? = nil,
        allowedCredentials: [WebAuthn.CredentialDescriptor] = [],
        hints: [WebAuthn.Hint] = []
    ) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.userVerification = userVerification
        self.userHandle = userHandle
        self.allowedCredentials = allowedCredentials
        self.hints = hints
    }

    /// Returns the options for `PublicKeyCredential.parseRequestOptionsFromJSON()` and `navigator.credentials.get()`.
    ///
    /// - Parameter time: The present time: the browser gives up when the challenge expires.
    /// - Returns: JSON, which may stand in a script element of HTML.
    public func optionsJSON(at time: UnixTime = .now) -> String {
        StrictJSON.object([
            "rpId": .string(relyingParty.id),
            "challenge": .string(challenge.text),
            "timeout": .number("\(challenge.timeout(at: time))"),
            "allowCredentials": .array(allowedCredentials.map(\.json)),
            "userVerification": .string(userVerification.rawValue),
            "hints": .array(hints.map { .string($0.rawValue) }),
        ]).text
    }

    /// Verifies a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - record: The record with the identifier in the response.
    ///   - time: The present time.
    /// - Returns: The record as it is to be stored, and what the caller should know.
    /// - Throws: ``WebAuthn/Error`` with the check that failed.
    public func verify(
        _ response: Response,
        of record: WebAuthn.CredentialRecord,
        at time: UnixTime = .now
    ) throws(WebAuthn.Error) -> Verified {
        try checkIdentity(of: response, record)
        let clientData = try WebAuthn.CollectedClientData(parsing: response.clientDataJSON)
        try clientData.check(.authentication, challenge: challenge, origins: relyingParty.origins, at: time)
        let data = try WebAuthn.AuthenticatorData(parsing: response.authenticatorData)
        guard data.attestedCredential == nil else {
            throw .malformedAuthenticatorData("it has a new credential")
        }
        try data.check(for: relyingParty, userVerification)
        let key = try COSEKey(parsing: record.publicKey)
        let signed = response.authenticatorData + SHA256.hash(data: response.clientDataJSON)
        guard key.isValid(response.signature, of: signed) else { throw .invalidSignature }
        return try verified(data, record)
    }

    /// Throws unless the passkey is an accepted one of the expected user.
    private func checkIdentity(
        of response: Response,
        _ record: WebAuthn.CredentialRecord
    ) throws(WebAuthn.Error) {
        guard response.credentialID == record.id else { throw .credentialIDMismatch }
        guard allowedCredentials.isEmpty || allowedCredentials.contains(where: { $0.id == record.id }) else {
            throw .credentialNotAllowed
        }
        guard userHandle == nil || userHandle == record.userHandle else { throw .wrongUser }
        guard let handle = response.userHandle else {
            // An authenticator may leave it out only if the server knows the user already.
            guard userHandle != nil else { throw .missingUserHandle }
            return
        }
        guard handle == record.userHandle else { throw .wrongUser }
    }

    /// Returns the result for a response whose signature is right, unless its counter went back.
    private func verified(
        _ data: WebAuthn.AuthenticatorData,
        _ record: WebAuthn.CredentialRecord
    ) throws(WebAuthn.Error) -> Verified {
        let isBackupEligible = data.flags.contains(.backupEligible)
        let hasCounterGoneBack = record.signCount > 0 && data.signCount <= record.signCount
        // The devices that share a synced passkey may count separately, or not at all. The response alone does not say that it is one:
        // a copied key sets its flags as it likes.
        guard !hasCounterGoneBack || isBackupEligible && record.isBackupEligible else {
            throw .counterWentBack
        }
        var updated = record
        updated.signCount = max(record.signCount, data.signCount)
        updated.isUserVerificationInitialized =
            record.isUserVerificationInitialized || data.flags.contains(.userVerified)
        updated.isBackupEligible = isBackupEligible
        updated.isBackedUp = data.flags.contains(.backedUp)
        return Verified(
            record: updated,
            isUserVerified: data.flags.contains(.userVerified),
            hasBackupEligibilityChanged: isBackupEligible != record.isBackupEligible,
            hasCounterGoneBack: hasCounterGoneBack
        )
    }
}
