// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// Why a response is refused, or why a value cannot be used.
    ///
    /// Two errors are equal if their codes are equal, so an error can be caught by its name. No error contains a part of a
    /// response. Tell users only that the passkey was not accepted, and write the code to the log.
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        /// What went wrong, in a word that programs compare. Later versions may add codes.
        public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
            /// The word, such as `wrongOrigin`.
            public let rawValue: String

            /// Creates a code.
            ///
            /// - Parameter rawValue: A word that no other code has.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The word.
            public var description: String { rawValue }

            /// The response is not the JSON form of the Recommendation, or lacks a member.
            public static let malformedResponse = Self(rawValue: "malformedResponse")
            /// A response or a part of it is too long.
            public static let overLimit = Self(rawValue: "overLimit")
            /// The client data are not JSON, or a member is missing, repeated or of another type.
            public static let malformedClientData = Self(rawValue: "malformedClientData")
            /// The attestation object is malformed.
            public static let malformedAttestationObject = Self(rawValue: "malformedAttestationObject")
            /// The authenticator data are malformed, or those of the other ceremony.
            public static let malformedAuthenticatorData = Self(rawValue: "malformedAuthenticatorData")
            /// The response is that of the other ceremony.
            public static let wrongType = Self(rawValue: "wrongType")
            /// The response is for another challenge.
            public static let wrongChallenge = Self(rawValue: "wrongChallenge")
            /// The challenge has expired.
            public static let challengeExpired = Self(rawValue: "challengeExpired")
            /// The response comes from an origin that is not listed.
            public static let wrongOrigin = Self(rawValue: "wrongOrigin")
            /// The response comes from a frame within another origin.
            public static let crossOrigin = Self(rawValue: "crossOrigin")
            /// The passkey is for another relying party.
            public static let wrongRelyingParty = Self(rawValue: "wrongRelyingParty")
            /// The user did not confirm.
            public static let userNotPresent = Self(rawValue: "userNotPresent")
            /// The authenticator did not verify the user, which is required.
            public static let userNotVerified = Self(rawValue: "userNotVerified")
            /// The authenticator claims to have backed up a passkey that cannot be.
            public static let invalidBackupState = Self(rawValue: "invalidBackupState")
            /// The algorithm of the passkey was not offered.
            public static let algorithmNotOffered = Self(rawValue: "algorithmNotOffered")
            /// The public key is malformed, weak, or not one for its algorithm.
            public static let invalidPublicKey = Self(rawValue: "invalidPublicKey")
            /// The attestation has a format that is not supported, or a certificate.
            public static let unsupportedAttestation = Self(rawValue: "unsupportedAttestation")
            /// The attestation is malformed, or not that of the passkey's own key.
            public static let invalidAttestation = Self(rawValue: "invalidAttestation")
            /// The identifier of the passkey is empty or too long.
            public static let invalidCredentialID = Self(rawValue: "invalidCredentialID")
            /// The passkey is registered already.
            public static let credentialExists = Self(rawValue: "credentialExists")
            /// The identifiers in the response differ, or that of the record is another.
            public static let credentialIDMismatch = Self(rawValue: "credentialIDMismatch")
            /// The passkey is not one of those that were asked for.
            public static let credentialNotAllowed = Self(rawValue: "credentialNotAllowed")
            /// The response names no user, and no user is known before.
            public static let missingUserHandle = Self(rawValue: "missingUserHandle")
            /// The passkey belongs to another user.
            public static let wrongUser = Self(rawValue: "wrongUser")
            /// The signature is wrong.
            public static let invalidSignature = Self(rawValue: "invalidSignature")
            /// The counter did not increase: the passkey may have been copied.
            public static let counterWentBack = Self(rawValue: "counterWentBack")
            /// A value that the server chose is not allowed.
            public static let invalidArgument = Self(rawValue: "invalidArgument")
        }

        /// What went wrong.
        public let code: Code

        /// What is refused, and why, for people.
        public let message: String

        /// Creates an error, for stores and for tests of code that handles it.
        ///
        /// - Parameters:
        ///   - code: What went wrong.
        ///   - message: What is refused, and why. It must contain no part of a response.
        public init(_ code: Code, message: String) {
            self.code = code
            self.message = message
        }

        /// Returns whether both errors have the same code; their messages may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// The message.
        public var description: String { message }
    }
}

extension WebAuthn.Error {
    /// The response is not the JSON form of the Recommendation, or lacks a member.
    public static let malformedResponse = Self(.malformedResponse, message: "malformed passkey response")
    /// A response or a part of it is too long.
    public static let overLimit = Self(.overLimit, message: "over a limit of passkeys")
    /// The client data are not JSON, or a member is missing, repeated or of another type.
    public static let malformedClientData = Self(.malformedClientData, message: "malformed client data")
    /// The attestation object is malformed.
    public static let malformedAttestationObject = Self(
        .malformedAttestationObject,
        message: "malformed attestation object"
    )
    /// The authenticator data are malformed, or those of the other ceremony.
    public static let malformedAuthenticatorData = Self(
        .malformedAuthenticatorData,
        message: "malformed authenticator data"
    )
    /// The response is that of the other ceremony.
    public static let wrongType = Self(.wrongType, message: "the response is that of the other ceremony")
    /// The response is for another challenge.
    public static let wrongChallenge = Self(.wrongChallenge, message: "the response is for another challenge")
    /// The challenge has expired.
    public static let challengeExpired = Self(.challengeExpired, message: "the challenge has expired")
    /// The response comes from an origin that is not listed.
    public static let wrongOrigin = Self(
        .wrongOrigin,
        message: "the response comes from an origin that is not listed"
    )
    /// The response comes from a frame within another origin.
    public static let crossOrigin = Self(
        .crossOrigin,
        message: "the response comes from a frame within another origin"
    )
    /// The passkey is for another relying party.
    public static let wrongRelyingParty = Self(
        .wrongRelyingParty,
        message: "the passkey is for another relying party"
    )
    /// The user did not confirm.
    public static let userNotPresent = Self(
        .userNotPresent,
        message: "the authenticator did not ask the user to confirm"
    )
    /// The authenticator did not verify the user, which is required.
    public static let userNotVerified = Self(
        .userNotVerified,
        message: "the authenticator did not verify the user, which is required"
    )
    /// The authenticator claims to have backed up a passkey that cannot be.
    public static let invalidBackupState = Self(
        .invalidBackupState,
        message: "the passkey is backed up and not eligible for it"
    )
    /// The algorithm of the passkey was not offered.
    public static let algorithmNotOffered = Self(
        .algorithmNotOffered,
        message: "the algorithm of the passkey was not offered"
    )
    /// The public key is malformed, weak, or not one for its algorithm.
    public static let invalidPublicKey = Self(.invalidPublicKey, message: "invalid public key of a passkey")
    /// The attestation has a format that is not supported, or a certificate.
    public static let unsupportedAttestation = Self(
        .unsupportedAttestation,
        message: "unsupported attestation"
    )
    /// The attestation is malformed, or not that of the passkey's own key.
    public static let invalidAttestation = Self(.invalidAttestation, message: "invalid attestation")
    /// The identifier of the passkey is empty or too long.
    public static let invalidCredentialID = Self(
        .invalidCredentialID,
        message: "the identifier of a passkey has 1 to 1,023 bytes"
    )
    /// The passkey is registered already.
    public static let credentialExists = Self(.credentialExists, message: "the passkey is registered already")
    /// The identifiers in the response differ, or that of the record is another.
    public static let credentialIDMismatch = Self(
        .credentialIDMismatch,
        message: "the identifiers of the passkey differ"
    )
    /// The passkey is not one of those that were asked for.
    public static let credentialNotAllowed = Self(
        .credentialNotAllowed,
        message: "the passkey is not one of those that were asked for"
    )
    /// The response names no user, and no user is known before.
    public static let missingUserHandle = Self(
        .missingUserHandle,
        message: "the response names no user, and none is known before"
    )
    /// The passkey belongs to another user.
    public static let wrongUser = Self(.wrongUser, message: "the passkey belongs to another user")
    /// The signature is wrong.
    public static let invalidSignature = Self(
        .invalidSignature,
        message: "the signature of the passkey is wrong"
    )
    /// The counter did not increase: the passkey may have been copied.
    public static let counterWentBack = Self(
        .counterWentBack,
        message: "the counter of the passkey did not increase: it may have been copied"
    )
    /// A value that the server chose is not allowed.
    public static let invalidArgument = Self(.invalidArgument, message: "invalid argument for passkeys")

    static func malformedResponse(_ detail: String) -> Self {
        .init(.malformedResponse, message: "malformed passkey response: \(detail)")
    }
    static func overLimit(_ detail: String) -> Self {
        .init(.overLimit, message: "over a limit of passkeys: \(detail)")
    }
    static func malformedClientData(_ detail: String) -> Self {
        .init(.malformedClientData, message: "malformed client data: \(detail)")
    }
    static func malformedAttestationObject(_ detail: String) -> Self {
        .init(.malformedAttestationObject, message: "malformed attestation object: \(detail)")
    }
    static func malformedAuthenticatorData(_ detail: String) -> Self {
        .init(.malformedAuthenticatorData, message: "malformed authenticator data: \(detail)")
    }
    static func invalidPublicKey(_ detail: String) -> Self {
        .init(.invalidPublicKey, message: "invalid public key of a passkey: \(detail)")
    }
    static func unsupportedAttestation(_ detail: String) -> Self {
        .init(.unsupportedAttestation, message: "unsupported attestation: \(detail)")
    }
    static func invalidAttestation(_ detail: String) -> Self {
        .init(.invalidAttestation, message: "invalid attestation: \(detail)")
    }
    static func invalidArgument(_ detail: String) -> Self {
        .init(.invalidArgument, message: "invalid argument for passkeys: \(detail)")
    }
}
