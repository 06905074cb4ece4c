// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasskeyAssertion {
    /// What the browser answers to the options: `AuthenticationResponseJSON` of the Recommendation. Nothing in it is
    /// verified.
    public struct Response: Sendable, Hashable {
        /// The identifier of the passkey.
        public let credentialID: [UInt8]

        /// The client data, as they were signed.
        public let clientDataJSON: [UInt8]

        /// The authenticator data, as they were signed.
        public let authenticatorData: [UInt8]

        /// The signature.
        public let signature: [UInt8]

        /// The user handle of the account; `nil` if the authenticator does not say.
        public let userHandle: [UInt8]?

        /// `platform` for the device itself, `cross-platform` for others; `nil` if the browser does not say.
        public let authenticatorAttachment: String?

        /// Creates a response from its parts.
        ///
        /// - Parameters:
        ///   - credentialID: The identifier of the passkey, 1 to 1,023 bytes.
        ///   - clientDataJSON: The client data, at most 4 KiB.
        ///   - authenticatorData: The authenticator data, at most 4 KiB.
        ///   - signature: The signature, at most 1,024 bytes.
        ///   - userHandle: The user handle, at most 64 bytes. One without bytes, which some browsers send, is none.
        ///   - authenticatorAttachment: The kind of authenticator.
        /// - Throws: ``WebAuthn/Error``, with the code `overLimit` or `invalidCredentialID`, if a part is too long.
        public init(
            credentialID: [UInt8],
            clientDataJSON: [UInt8],
            authenticatorData: [UInt8],
            signature: [UInt8],
            userHandle: [UInt8]? = nil,
            authenticatorAttachment: String? = nil
        ) throws(WebAuthn.Error) {
            try WebAuthn.check(credentialID: credentialID)
            for (bytes, name, maximum) in [
                (clientDataJSON, "clientDataJSON", WebAuthn.maximumClientDataByteCount),
                (authenticatorData, "authenticatorData", WebAuthn.maximumAuthenticatorDataByteCount),
                (signature, "signature", WebAuthn.maximumSignatureByteCount),
                (userHandle ?? [], "userHandle", WebAuthn.userHandleByteCounts.upperBound),
            ] {
                try WebAuthn.check(bytes, name, maximumByteCount: maximum)
            }
            self.credentialID = credentialID
            self.clientDataJSON = clientDataJSON
            self.authenticatorData = authenticatorData
            self.signature = signature
            self.userHandle = userHandle.flatMap { $0.isEmpty ? nil : $0 }
            self.authenticatorAttachment = authenticatorAttachment
        }

        /// Parses a response.
        ///
        /// - Parameter json: JSON as `toJSON()` of the `PublicKeyCredential` writes it.
        /// - Throws: ``WebAuthn/Error``, with the code `malformedResponse`, `overLimit`, `credentialIDMismatch` or
        ///   `invalidCredentialID`.
        public init(json: some Collection<UInt8>) throws(WebAuthn.Error) {
            let response = try WebAuthn.ResponseJSON(parsing: json)
            try self.init(
                credentialID: response.credentialID,
                clientDataJSON: response.bytes("clientDataJSON"),
                authenticatorData: response.bytes("authenticatorData"),
                signature: response.bytes("signature"),
                userHandle: response.optionalBytes("userHandle"),
                authenticatorAttachment: response.authenticatorAttachment
            )
        }
    }
}
