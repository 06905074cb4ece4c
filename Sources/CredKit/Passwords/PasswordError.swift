// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a password could not be hashed, or a stored hash could not be verified.
///
/// A wrong password is not an error: ``PasswordContext/verify(_:against:)`` returns ``PasswordVerification/mismatch``.
/// An error means that there is no result.
///
/// Two errors are equal if their codes are equal, so an error can be caught by its name:
///
/// ```swift
/// do {
///     verification = try context.verify(password, against: record)
/// } catch .unsupported {
///     …
/// }
/// ```
///
/// Errors contain neither a password nor a part of a stored hash, except for the name of a missing key.
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

    /// The text begins like a hash of a known scheme, but is malformed.
    public static let malformed = malformed("")
    /// The text is not a hash of any known scheme. This includes bare hexadecimal digits, which do not name the
    /// algorithm that made them; see ``PasswordHash/init(legacyHex:algorithm:)``.
    public static let unrecognized = Self(
        .unrecognized,
        "unrecognized hash format (for bare hexadecimal digits, name the algorithm that made them)"
    )
    /// The hash is well-formed, but CredKit cannot verify hashes of its kind.
    public static let unsupported = unsupported("")
    /// Verifying or making the hash would take more memory or time than ``PasswordLimits`` allow, or its text is too
    /// long.
    public static let overLimit = overLimit("")
    /// The policy rejects hashes of the scheme.
    public static let refused = refused("")
    /// The password has more bytes than ``PasswordLimits/passwordByteCount``, or than the scheme accepts.
    public static let passwordTooLong = passwordTooLong("")
    /// The password contains a NUL byte, which the scheme would take for its end.
    public static let passwordContainsNUL = Self(
        .passwordContainsNUL,
        "the password contains a NUL byte, which this scheme does not support"
    )
    /// The policy's ``PasswordPolicy/normalization`` rejects the password: it is empty, is not valid text, or
    /// contains characters that are not allowed.
    public static let passwordNotAllowed = passwordNotAllowed("")
    /// A cost is out of range, or the scheme has no such parameter.
    public static let invalidParameters = invalidParameters("")
    /// The hash was made with a key that is not available.
    public static let unknownKey = unknownKey("")
    /// The policy requires a pepper, and none is available.
    public static let pepperRequired = pepperRequired("")
    /// There is not enough memory for the computation.
    public static let outOfMemory = Self(.outOfMemory, "there is not enough memory for this hash")
    /// The library that computes the scheme failed.
    public static let backendFailed = backendFailed("")

    /// Too many computations are already waiting. Retry later.
    public static let busy = Self(.busy, "too many password computations are waiting; try again later")
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

    /// Returns whether both errors are of the same kind; their details may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// A description for people.
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
