// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasskeyRegistration {
    /// What the browser answers to the options: `RegistrationResponseJSON` of the Recommendation. Nothing in it is verified.
    public struct Response: Sendable, Hashable {
        private static let transportCounts = 0...16

        /// The identifier of the new passkey.
        public let credentialID: [UInt8]

        /// The client data, as they were signed.
        public let clientDataJSON: [UInt8]

        /// The attestation object, which contains the public key.
        public let attestationObject: [UInt8]

        /// How the browser reaches the authenticator.
        public let transports: [String]

        /// `platform` for the device itself, `cross-platform` for others; `nil` if the browser does not say.
        public let authenticatorAttachment: String?

        /// Creates a response from its parts.
        ///
        /// - Parameters:
        ///   - credentialID: The identifier of the new passkey, 1 to 1,023 bytes.
        ///   - clientDataJSON: The client data, at most 4 KiB.
        ///   - attestationObject: The attestation object, at most 8 KiB.
        ///   - transports: How the browser reaches the authenticator: at most 16 words of at most 32 bytes.
        ///   - authenticatorAttachment: The kind of authenticator.
        /// - Throws: ``WebAuthn/Error``, with the code `overLimit` or `invalidCredentialID`, if a part is too long.
        public init(
            credentialID: [UInt8],
            clientDataJSON: [UInt8],
            attestationObject: [UInt8],
            transports: [String] = [],
            authenticatorAttachment: String? = nil
        ) throws(WebAuthn.Error) {
            try WebAuthn.check(credentialID: credentialID)
            try WebAuthn.check(
                clientDataJSON,
                "clientDataJSON",
                maximumByteCount: WebAuthn.maximumClientDataByteCount
            )
            try WebAuthn.check(
                attestationObject,
                "attestationObject",
                maximumByteCount: WebAuthn.maximumAttestationObjectByteCount
            )
            guard Self.transportCounts.contains(transports.count),
                transports.allSatisfy({ 1...32 ~= $0.utf8.count })
            else { throw .overLimit("transports are at most 16 words of 1 to 32 bytes") }
            self.credentialID = credentialID
            self.clientDataJSON = clientDataJSON
            self.attestationObject = attestationObject
            self.transports = transports
            self.authenticatorAttachment = authenticatorAttachment
        }

        /// Parses a response.
        ///
        /// - Parameter json: JSON as `toJSON()` of the new `PublicKeyCredential` writes it. The public key and the authenticator
        ///   data beside the attestation object are not read.
        /// - Throws: ``WebAuthn/Error``, with the code `malformedResponse`, `overLimit`, `credentialIDMismatch` or
        ///   `invalidCredentialID`.
        public init(json: some Collection<UInt8>) throws(WebAuthn.Error) {
            let response = try WebAuthn.ResponseJSON(parsing: json)
            try self.init(
                credentialID: response.credentialID,
                clientDataJSON: response.bytes("clientDataJSON"),
                attestationObject: response.bytes("attestationObject"),
                transports: response.words("transports"),
                authenticatorAttachment: response.authenticatorAttachment
            )
        }
    }
}
