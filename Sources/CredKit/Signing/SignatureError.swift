// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a signature could not be computed, or a secret for signatures is unsuitable.
///
/// A signature that is invalid is not an error: ``Legacy/SortedParameterSignature/verified(_:)`` returns `nil`, and webhooks
/// a ``WebhookSignature/Standard/Verification``, ``WebhookSignature/Stripe/Verification`` or
/// ``WebhookSignature/GitHub/Verification``.
///
/// Two errors are equal if their codes are equal, so an error can be caught by its name: `catch .repeatedName`. Errors
/// contain neither a secret nor a part of a message.
public struct SignatureError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, in a word that programs compare. Later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The word, such as `repeatedName`.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: A word that no other code has.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The word.
        public var description: String { rawValue }

        /// There is no secret, or it is empty, malformed, or of a length that the format does not allow.
        public static let invalidSecret = Self(rawValue: "invalidSecret")
        /// There is no guarded memory left for the secret.
        public static let outOfMemory = Self(rawValue: "outOfMemory")
        /// A parameter occurs more than once. Backends differ in which one they take.
        public static let repeatedName = Self(rawValue: "repeatedName")
        /// There are more parameters than ``Legacy/SortedParameterSignature/maximumParameterCount``.
        public static let tooManyParameters = Self(rawValue: "tooManyParameters")
        /// The identifier or the time of a webhook cannot be signed.
        public static let invalidMetadata = Self(rawValue: "invalidMetadata")
    }

    /// What went wrong.
    public let code: Code

    /// What failed and why, for people.
    public let message: String

    /// Creates an error, for tests of code that handles errors.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What failed and why, for people. It must contain no secret.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Returns whether both errors have the same code; their messages may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The message.
    public var description: String { message }
}

extension SignatureError {
    /// There is no secret, or it is empty, malformed, or of a length that the format does not allow.
    public static let invalidSecret = invalidSecret("invalid secret for signatures")
    /// There is no guarded memory left for the secret.
    public static let outOfMemory = Self(
        .outOfMemory,
        message: "no guarded memory is left for the secret of a signature"
    )
    /// A parameter occurs more than once. Backends differ in which one they take.
    public static let repeatedName = Self(
        .repeatedName,
        message: "cannot sign the parameters: a name occurs more than once"
    )
    /// There are more parameters than ``Legacy/SortedParameterSignature/maximumParameterCount``.
    public static let tooManyParameters = Self(
        .tooManyParameters,
        message:
            "cannot sign the parameters: more than \(Legacy.SortedParameterSignature.maximumParameterCount)"
    )
    /// The identifier or the time of a webhook cannot be signed.
    public static let invalidMetadata = invalidMetadata("invalid identifier or time of a webhook")

    static func invalidSecret(_ message: String) -> Self {
        Self(.invalidSecret, message: message)
    }

    static func invalidMetadata(_ message: String) -> Self {
        Self(.invalidMetadata, message: message)
    }
}
