// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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

    static func malformedURI(_ detail: String) -> Self {
        .init(.malformedURI, message: "malformed otpauth:// URI: \(detail)")
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
