// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// Why a message, a verifier or a password cannot be used.
    ///
    /// Two errors are equal if their codes are equal, so an error can be caught by its name. No error contains a password, a
    /// key or a message of the other side.
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        /// What went wrong, in a word that programs compare. Later versions may add codes.
        public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
            /// The word, such as `malformedMessage`.
            public let rawValue: String

            /// Creates a code.
            ///
            /// - Parameter rawValue: A word that no other code has.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The word.
            public var description: String { rawValue }

            /// A message of the other side is malformed: an attribute is missing, repeated, out of order or not valid.
            public static let malformedMessage = Self(rawValue: "malformedMessage")
            /// The other side requires something that is not supported: a mandatory extension, another mechanism, an
            /// identity to act as.
            public static let unsupported = Self(rawValue: "unsupported")
            /// The nonce of the other side does not continue ours, or is not the one of this exchange.
            public static let foreignNonce = Self(rawValue: "foreignNonce")
            /// The server asks for fewer iterations than the client accepts, or for more.
            public static let iterationsRefused = Self(rawValue: "iterationsRefused")
            /// The server rejects the login.
            public static let rejected = Self(rawValue: "rejected")
            /// The server has not proved that it knows the verifier: its signature is missing or wrong.
            public static let serverNotAuthenticated = Self(rawValue: "serverNotAuthenticated")
            /// Channel binding is required and not possible, is for another connection, or was downgraded.
            public static let channelBindingFailed = Self(rawValue: "channelBindingFailed")
            /// The text is not a verifier.
            public static let malformedVerifier = Self(rawValue: "malformedVerifier")
            /// The password or name contains characters that the preparation prohibits.
            public static let textNotAllowed = Self(rawValue: "textNotAllowed")
            /// A number of iterations, a salt, a nonce or a message is outside its allowed range.
            public static let overLimit = Self(rawValue: "overLimit")
            /// The keys were derived for another salt, number of iterations or hash function.
            public static let otherKeys = Self(rawValue: "otherKeys")
            /// There is not enough guarded memory.
            public static let outOfMemory = Self(rawValue: "outOfMemory")
        }

        /// What went wrong.
        public let code: Code

        /// Which message, verifier or text cannot be used, and why, for people.
        public let message: String

        /// Creates an error, for tests of code that handles it.
        ///
        /// - Parameters:
        ///   - code: What went wrong.
        ///   - message: Which message, verifier or text cannot be used, and why. It must contain no secret.
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

extension SCRAM.Error {
    /// A message of the other side is malformed.
    public static let malformedMessage = Self(.malformedMessage, message: "malformed SCRAM message")
    /// The other side requires something that is not supported.
    public static let unsupported = Self(.unsupported, message: "unsupported SCRAM feature")
    /// The nonce of the other side does not continue ours, or is not the one of this exchange.
    public static let foreignNonce = Self(
        .foreignNonce,
        message: "the nonce does not belong to this SCRAM exchange"
    )
    /// The server asks for fewer iterations than the client accepts, or for more.
    public static let iterationsRefused = Self(
        .iterationsRefused,
        message: "the number of iterations is outside the accepted range"
    )
    /// The server rejects the login.
    public static let rejected = Self(.rejected, message: "the server rejects the login")
    /// The server has not proved that it knows the verifier.
    public static let serverNotAuthenticated = Self(
        .serverNotAuthenticated,
        message:
            "the server has not proved that it knows the password's verifier: its signature is missing or wrong"
    )
    /// Channel binding is required and not possible, is for another connection, or was downgraded.
    public static let channelBindingFailed = Self(.channelBindingFailed, message: "channel binding failed")
    /// The text is not a verifier.
    public static let malformedVerifier = Self(.malformedVerifier, message: "malformed SCRAM verifier")
    /// The password or name contains characters that the preparation prohibits.
    public static let textNotAllowed = Self(
        .textNotAllowed,
        message: "the text contains characters that its preparation prohibits"
    )
    /// A number of iterations, a salt, a nonce or a message is outside its allowed range.
    public static let overLimit = Self(.overLimit, message: "over a limit of SCRAM")
    /// The keys were derived for another salt, number of iterations or hash function.
    public static let otherKeys = Self(
        .otherKeys,
        message: "the keys were derived for another salt, number of iterations or hash function"
    )
    /// There is not enough guarded memory.
    public static let outOfMemory = Self(.outOfMemory, message: "there is not enough memory for a SCRAM key")

    static func malformedMessage(_ detail: String) -> Self {
        .init(.malformedMessage, message: "malformed SCRAM message: \(detail)")
    }
    static func unsupported(_ detail: String) -> Self {
        .init(.unsupported, message: "unsupported SCRAM feature: \(detail)")
    }
    static func channelBindingFailed(_ detail: String) -> Self {
        .init(.channelBindingFailed, message: "channel binding failed: \(detail)")
    }
    static func malformedVerifier(_ detail: String) -> Self {
        .init(.malformedVerifier, message: "malformed SCRAM verifier: \(detail)")
    }
    static func textNotAllowed(_ detail: String) -> Self {
        .init(.textNotAllowed, message: detail)
    }
    static func overLimit(_ detail: String) -> Self {
        .init(.overLimit, message: "over a limit of SCRAM: \(detail)")
    }
}

extension SCRAM.Error {
    /// The last message of a server whose client caused this error (RFC 5802, section 7).
    public var serverMessage: String {
        switch code {
        case .unsupported: "e=extensions-not-supported"
        case .channelBindingFailed: "e=channel-bindings-dont-match"
        case .malformedMessage, .overLimit: "e=invalid-encoding"
        default: "e=other-error"
        }
    }

    /// Why PBKDF2 could not be computed.
    init(_ error: KeyDerivationError) {
        switch error {
        case .outOfMemory, .failed, .cancelled, .unsupported: self = .outOfMemory
        case .overLimit(let detail), .inputTooLong(let detail): self = .overLimit(detail)
        }
    }
}
