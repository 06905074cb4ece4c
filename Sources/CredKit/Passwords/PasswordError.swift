// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a password could not be hashed, or a stored hash could not be checked.
///
/// A wrong password is no error: ``PasswordHasher/verify(_:against:)`` answers
/// ``PasswordVerification/mismatch``. Whatever is thrown says that the question could not be answered.
///
/// Two errors are equal when their codes are, so that they can be caught by name:
///
/// ```swift
/// do {
///     verification = try hasher.verify(password, against: record)
/// } catch .unsupported {
///     …
/// }
/// ```
///
/// Errors hold neither a password nor a part of a stored hash, save for the name of a key that is missing.
public struct PasswordError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable {
        case malformed, unrecognized, unsupported, overLimit, refused
        case passwordTooLong, passwordContainsNUL, passwordNotAllowed
        case invalidParameters, unknownKey, pepperRequired
        case outOfMemory, backendFailed, busy, cancelled
    }

    private let code: Code
    private let detail: String

    private init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The text begins like a hash of a known scheme, but is not one.
    public static let malformed = malformed("")
    /// The text is not a hash of any known scheme. Bare hexadecimal digits are among them: they do not say what
    /// made them; see ``PasswordHash/init(hexDigest:madeBy:)``.
    public static let unrecognized = Self(.unrecognized, "this is no hash of a known scheme")
    /// A well-formed hash of a kind that CredKit cannot check.
    public static let unsupported = unsupported("")
    /// Checking the hash, or making it, would take more memory or time than ``PasswordLimits`` allow, or its
    /// text is too long.
    public static let overLimit = overLimit("")
    /// The policy refuses hashes of the scheme.
    public static let refused = refused("")
    /// The password has more bytes than ``PasswordLimits/passwordByteCount``, or than the scheme can take.
    public static let passwordTooLong = passwordTooLong("")
    /// The password has a NUL byte, where the scheme's passwords end.
    public static let passwordContainsNUL = Self(
        .passwordContainsNUL,
        "the password contains a NUL byte, which passwords of this scheme cannot"
    )
    /// The policy's ``PasswordPolicy/normalization`` has no form of the password: it is empty, is not text, or
    /// has characters that such passwords may not have.
    public static let passwordNotAllowed = passwordNotAllowed("")
    /// There is no such cost, or the scheme has no such parameter.
    public static let invalidParameters = invalidParameters("")
    /// The hash was made with a key that is not at hand.
    public static let unknownKey = unknownKey("")
    /// The policy requires a pepper, and there is none.
    public static let pepperRequired = pepperRequired("")
    /// There is not enough memory for the computation.
    public static let outOfMemory = Self(.outOfMemory, "there is not enough memory for this hash")
    /// The library that computes the scheme failed.
    public static let backendFailed = backendFailed("")

    /// Too many computations are waiting already. Try again later.
    public static let busy = Self(.busy, "too many passwords are waiting to be checked; try again later")
    /// The task was cancelled before its computation began.
    public static let cancelled = Self(.cancelled, "cancelled before the computation began")

    static func malformed(_ detail: String) -> Self { .init(.malformed, detail) }
    static func unsupported(_ detail: String) -> Self { .init(.unsupported, detail) }
    static func overLimit(_ detail: String) -> Self { .init(.overLimit, detail) }
    static func refused(_ detail: String) -> Self { .init(.refused, detail) }
    static func passwordTooLong(_ detail: String) -> Self { .init(.passwordTooLong, detail) }
    static func passwordNotAllowed(_ detail: String) -> Self { .init(.passwordNotAllowed, detail) }
    package static func invalidParameters(_ detail: String) -> Self { .init(.invalidParameters, detail) }
    static func unknownKey(_ detail: String) -> Self { .init(.unknownKey, detail) }
    static func pepperRequired(_ detail: String) -> Self { .init(.pepperRequired, detail) }
    static func backendFailed(_ detail: String) -> Self { .init(.backendFailed, detail) }

    /// Whether both errors are of the same kind; what they say in detail may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// A sentence for people.
    public var description: String {
        switch code {
        case .malformed: "malformed hash: \(detail)"
        case .unsupported: "unsupported hash: \(detail)"
        case .overLimit: "over the limit: \(detail)"
        case .invalidParameters: "invalid parameters: \(detail)"
        case .unrecognized, .refused, .passwordTooLong, .passwordContainsNUL, .passwordNotAllowed,
            .unknownKey, .pepperRequired, .outOfMemory, .backendFailed, .busy, .cancelled:
            detail
        }
    }
}
