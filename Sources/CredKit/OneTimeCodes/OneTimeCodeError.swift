// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a key of one-time codes cannot be read, or cannot compute a code.
///
/// Two errors are equal if their codes are equal, so an error can be caught by its name. No error contains a seed, a code or
/// a part of a URI.
public struct OneTimeCodeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, in a word that programs compare. Later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The word, such as `malformedURI`.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: A word that no other code has.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The word.
        public var description: String { rawValue }

        /// The text is not an `otpauth://` URI.
        public static let wrongScheme = Self(rawValue: "wrongScheme")
        /// The URI is malformed: its structure, percent-encoding or UTF-8.
        public static let malformedURI = Self(rawValue: "malformedURI")
        /// The URI has no seed, or no counter for HOTP.
        public static let missingField = Self(rawValue: "missingField")
        /// A field of the URI occurs twice.
        public static let repeatedField = Self(rawValue: "repeatedField")
        /// The label and the field `issuer` of the URI name different issuers.
        public static let conflictingIssuers = Self(rawValue: "conflictingIssuers")
        /// The URI is for codes of another kind, algorithm or encoding than CredKit computes.
        public static let unsupported = Self(rawValue: "unsupported")
        /// The seed is not Base32.
        public static let malformedSeed = Self(rawValue: "malformedSeed")
        /// A number of digits, a period, a name, a counter or a time is outside its allowed range.
        public static let invalidParameters = Self(rawValue: "invalidParameters")
        /// A seed, name or URI is too long.
        public static let overLimit = Self(rawValue: "overLimit")
        /// The function is for the other kind of key: with a counter, or with the time.
        public static let wrongKind = Self(rawValue: "wrongKind")
        /// The counter is at the end of its range.
        public static let counterExhausted = Self(rawValue: "counterExhausted")
        /// There is not enough guarded memory.
        public static let outOfMemory = Self(rawValue: "outOfMemory")
    }

    /// What went wrong.
    public let code: Code

    /// What failed, on what, and why, for people.
    public let message: String

    /// Creates an error, for tests of code that handles it.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What failed, on what, and why, for people. It must contain no secret.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Returns whether both errors have the same code; their messages may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The message.
    public var description: String { message }
}

extension OneTimeCodeError {
    /// The text is not an `otpauth://` URI.
    public static let wrongScheme = Self(.wrongScheme, message: "not an otpauth:// URI")
    /// The URI is malformed: its structure, percent-encoding or UTF-8.
    public static let malformedURI = Self(.malformedURI, message: "malformed otpauth:// URI")
    /// The URI has no seed, or no counter for HOTP.
    public static let missingField = Self(.missingField, message: "a field of the otpauth:// URI is missing")
    /// A field of the URI occurs twice.
    public static let repeatedField = Self(
        .repeatedField,
        message: "a field of the otpauth:// URI occurs twice"
    )
    /// The label and the field `issuer` of the URI name different issuers.
    public static let conflictingIssuers = Self(
        .conflictingIssuers,
        message: "the label and the field 'issuer' of the otpauth:// URI name different issuers"
    )
    /// The URI is for codes of another kind, algorithm or encoding than CredKit computes.
    public static let unsupported = Self(.unsupported, message: "unsupported one-time codes")
    /// The seed is not Base32.
    public static let malformedSeed = Self(.malformedSeed, message: "the seed is not Base32")
    /// A number of digits, a period, a name, a counter or a time is outside its allowed range.
    public static let invalidParameters = Self(.invalidParameters, message: "invalid parameters")
    /// A seed, name or URI is too long.
    public static let overLimit = Self(.overLimit, message: "over the limit")
    /// The function is for the other kind of key: with a counter, or with the time.
    public static let wrongKind = Self(
        .wrongKind,
        message: "the key is of the other kind: with a counter (HOTP), or with the time (TOTP)"
    )
    /// The counter is at the end of its range.
    public static let counterExhausted = Self(
        .counterExhausted,
        message: "the counter is at the end of its range"
    )
    /// There is not enough guarded memory.
    public static let outOfMemory = Self(.outOfMemory, message: "there is not enough memory for a seed")

    /// Codes that are letters.
    package static let steam: Self = .unsupported("Steam's codes have letters")

    /// An escape lacks a digit.
    static let malformedEscape: Self = .malformedURI("a % is not followed by two hexadecimal digits")

    static func malformedURI(_ detail: String) -> Self {
        .init(.malformedURI, message: "malformed otpauth:// URI: \(detail)")
    }
    static func malformedExport(_ detail: String) -> Self {
        .init(.malformedURI, message: "malformed otpauth-migration:// URI: \(detail)")
    }
    static func missingField(_ name: String) -> Self {
        .init(.missingField, message: "the otpauth:// URI has no '\(name)'")
    }
    static func repeatedField(_ name: String) -> Self {
        .init(.repeatedField, message: "the otpauth:// URI has '\(name)' twice")
    }
    static func unsupported(_ detail: String) -> Self {
        .init(.unsupported, message: "unsupported one-time codes: \(detail)")
    }
    static func malformedSeed(_ detail: String) -> Self {
        .init(.malformedSeed, message: "the seed is not Base32: \(detail)")
    }
    static func invalidParameters(_ detail: String) -> Self {
        .init(.invalidParameters, message: "invalid parameters: \(detail)")
    }
    static func overLimit(_ detail: String) -> Self {
        .init(.overLimit, message: "over the limit: \(detail)")
    }
}
