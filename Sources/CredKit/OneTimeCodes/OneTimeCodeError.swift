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
