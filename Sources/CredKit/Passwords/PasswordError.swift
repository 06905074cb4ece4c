// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Why a password could not be hashed, or a stored hash could not be verified.
///
/// A wrong password is not an error: ``PasswordContext/verify(_:against:)-(_,String)`` returns ``PasswordVerification/mismatch``.
/// An error means that there is no result.
///
/// Two errors are equal if their codes are equal, so an error can be caught by its name:
///
/// ```swift
/// do {
///     verification = try context.verify(password, against: record)
/// } catch .unsupported {
///     …
/// } catch where error.code == .overLimit {
///     log(error.message)
/// }
/// ```
///
/// CredKit's own errors contain neither a password nor a part of a stored hash, except for the name of a missing key, and an
/// unknown name in braces that a text begins with.
public struct PasswordError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Apart from the value, so that an error is as large as a pointer and can get further properties.
    private final class Storage: Sendable {
        let code: Code
        let message: String
        let underlying: (any Error)?

        init(_ code: Code, _ message: String, _ underlying: (any Error)?) {
            self.code = code
            self.message = message
            self.underlying = underlying
        }
    }

    private let storage: Storage

    /// Creates an error, for code of your own that hashes passwords, and for tests of code that handles errors.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What failed, on what, and why, for people. It must contain no secret.
    ///   - underlying: The error that caused this one, if there is one.
    public init(_ code: Code, message: String, underlying: (any Error)? = nil) {
        storage = Storage(code, message, underlying)
    }

    /// What went wrong.
    public var code: Code { storage.code }

    /// What failed, on what, and why, for people.
    public var message: String { storage.message }

    /// The error that caused this one, if there is one.
    public var underlying: (any Error)? { storage.underlying }

    /// Returns whether both errors have the same code; their messages may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The message.
    public var description: String { message }
}

extension PasswordError {
    /// What went wrong, in a word that programs compare.
    ///
    /// Later versions may add codes. A program can add its own, for errors that it creates itself:
    ///
    /// ```swift
    /// extension PasswordError.Code {
    ///     static let quotaExceeded = Self(rawValue: "quotaExceeded")
    /// }
    /// ```
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The word, such as `malformed`.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: A word that no other code has.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The word.
        public var description: String { rawValue }

        /// The text begins like a hash of a known scheme, but is malformed.
        public static let malformed = Self(rawValue: "malformed")
        /// The text is not a hash of any known scheme. This includes bare hexadecimal digits, which do not name the
        /// algorithm that made them; see ``PasswordHash/init(legacyHex:algorithm:)``.
        public static let unrecognized = Self(rawValue: "unrecognized")
        /// The hash is well-formed, but CredKit cannot verify hashes of its kind.
        public static let unsupported = Self(rawValue: "unsupported")
        /// Verifying or making the hash would take more memory or time than ``PasswordLimits`` allow, or its text is too
        /// long.
        public static let overLimit = Self(rawValue: "overLimit")
        /// The policy rejects hashes of the scheme.
        public static let refused = Self(rawValue: "refused")
        /// The password has more bytes than ``PasswordLimits/passwordByteCount``, or than the scheme accepts.
        public static let passwordTooLong = Self(rawValue: "passwordTooLong")
        /// The password contains a NUL byte, which the scheme would take for its end.
        public static let passwordContainsNUL = Self(rawValue: "passwordContainsNUL")
        /// The policy's ``PasswordPolicy/normalization`` rejects the password: it is empty, is not valid text, or
        /// contains characters that are not allowed.
        public static let passwordNotAllowed = Self(rawValue: "passwordNotAllowed")
        /// A cost is out of range, or the scheme has no such parameter.
        public static let invalidParameters = Self(rawValue: "invalidParameters")
        /// The hash was made with a key that is not available.
        public static let unknownKey = Self(rawValue: "unknownKey")
        /// The policy requires a pepper, and none is available.
        public static let pepperRequired = Self(rawValue: "pepperRequired")
        /// There is not enough memory for the computation.
        public static let outOfMemory = Self(rawValue: "outOfMemory")
        /// The library that computes the scheme failed.
        public static let backendFailed = Self(rawValue: "backendFailed")
        /// Too many computations are already waiting. Retry later.
        public static let busy = Self(rawValue: "busy")
        /// The task was cancelled before its computation began or, with ``Argon2Implementation/vectorized``, during it; or
        /// between two measurements of a calibration.
        public static let cancelled = Self(rawValue: "cancelled")
        /// A list of rejected passwords cannot be read.
        public static let unreadableBlocklist = Self(rawValue: "unreadableBlocklist")
        /// A list of rejected passwords is malformed, or not of the declared kind.
        public static let malformedBlocklist = Self(rawValue: "malformedBlocklist")
        /// A list of rejected passwords has changed since it was opened. Open it again.
        public static let changedBlocklist = Self(rawValue: "changedBlocklist")
        /// A filter has no room for a further word.
        public static let fullFilter = Self(rawValue: "fullFilter")
        /// A filter cannot be written.
        public static let unwritableFilter = Self(rawValue: "unwritableFilter")
    }
}

extension PasswordError {
    /// The text begins like a hash of a known scheme, but is malformed.
    public static let malformed = Self(.malformed, message: "malformed hash")
    /// The text is not a hash of any known scheme. This includes bare hexadecimal digits, which do not name the
    /// algorithm that made them; see ``PasswordHash/init(legacyHex:algorithm:)``.
    public static let unrecognized = Self(
        .unrecognized,
        message: "unrecognized hash format (for bare hexadecimal digits, name the algorithm that made them)"
    )
    /// The hash is well-formed, but CredKit cannot verify hashes of its kind.
    public static let unsupported = Self(.unsupported, message: "unsupported hash")
    /// Verifying or making the hash would take more memory or time than ``PasswordLimits`` allow, or its text is too
    /// long.
    public static let overLimit = Self(.overLimit, message: "over the limit")
    /// The policy rejects hashes of the scheme.
    public static let refused = Self(.refused, message: "the policy does not accept hashes of this scheme")
    /// The password has more bytes than ``PasswordLimits/passwordByteCount``, or than the scheme accepts.
    public static let passwordTooLong = Self(.passwordTooLong, message: "the password is too long")
    /// The password contains a NUL byte, which the scheme would take for its end.
    public static let passwordContainsNUL = Self(
        .passwordContainsNUL,
        message: "the password contains a NUL byte, which this scheme does not support"
    )
    /// The policy's ``PasswordPolicy/normalization`` rejects the password: it is empty, is not valid text, or
    /// contains characters that are not allowed.
    public static let passwordNotAllowed = Self(
        .passwordNotAllowed,
        message: "the policy does not accept the password"
    )
    /// A cost is out of range, or the scheme has no such parameter.
    public static let invalidParameters = Self(.invalidParameters, message: "invalid parameters")
    /// The hash was made with a key that is not available.
    public static let unknownKey = Self(
        .unknownKey,
        message: "the hash was made with a key that is not available"
    )
    /// The policy requires a pepper, and none is available.
    public static let pepperRequired = Self(.pepperRequired, message: "the policy requires a pepper")
    /// There is not enough memory for the computation.
    public static let outOfMemory = Self(.outOfMemory, message: "there is not enough memory for this hash")
    /// The library that computes the scheme failed.
    public static let backendFailed = Self(
        .backendFailed,
        message: "the library that computes this hash failed"
    )
    /// Too many computations are already waiting. Retry later.
    public static let busy = Self(
        .busy,
        message: "too many password computations are waiting; try again later"
    )
    /// The task was cancelled before its computation began, or between two measurements of a calibration.
    public static let cancelled = Self(.cancelled, message: "cancelled before the computation ended")

    /// A list of rejected passwords cannot be read.
    public static let unreadableBlocklist = Self(
        .unreadableBlocklist,
        message: "a list of rejected passwords cannot be read"
    )
    /// A list of rejected passwords is malformed, or not of the declared kind.
    public static let malformedBlocklist = Self(
        .malformedBlocklist,
        message: "a list of rejected passwords is malformed"
    )
    /// A list of rejected passwords has changed since it was opened. Open it again.
    public static let changedBlocklist = Self(
        .changedBlocklist,
        message: "a list of rejected passwords has changed since it was opened"
    )
    /// A filter has no room for a further word.
    public static let fullFilter = Self(
        .fullFilter,
        message:
            "the filter is full, or the hashes of its words are not spread evenly: it needs a higher capacity"
    )
    /// A filter cannot be written.
    public static let unwritableFilter = Self(.unwritableFilter, message: "the filter cannot be written")

    package static func malformedBlocklist(_ detail: String) -> Self {
        .init(.malformedBlocklist, message: "malformed blocklist: \(detail)")
    }
    static func malformed(_ detail: String) -> Self {
        .init(.malformed, message: "malformed hash: \(detail)")
    }
    static func unrecognized(_ detail: String) -> Self {
        .init(.unrecognized, message: "unrecognized hash format: \(detail)")
    }
    static func unsupported(_ detail: String) -> Self {
        .init(.unsupported, message: "unsupported hash: \(detail)")
    }
    package static func overLimit(_ detail: String) -> Self {
        .init(.overLimit, message: "over the limit: \(detail)")
    }
    static func outOfMemory(_ message: String) -> Self { .init(.outOfMemory, message: message) }
    static func refused(_ message: String) -> Self { .init(.refused, message: message) }
    static func passwordTooLong(_ message: String) -> Self { .init(.passwordTooLong, message: message) }
    static func passwordNotAllowed(_ message: String) -> Self { .init(.passwordNotAllowed, message: message) }
    package static func invalidParameters(_ detail: String) -> Self {
        .init(.invalidParameters, message: "invalid parameters: \(detail)")
    }
    static func unknownKey(_ message: String) -> Self { .init(.unknownKey, message: message) }
    static func pepperRequired(_ message: String) -> Self { .init(.pepperRequired, message: message) }
    static func backendFailed(_ message: String) -> Self { .init(.backendFailed, message: message) }
}

/// Errors of other areas.
extension PasswordError {
    /// Converts the failure of a key derivation.
    init(_ error: KeyDerivationError) {
        self =
            switch error {
            case .outOfMemory: .outOfMemory
            case .overLimit(let detail): .overLimit(detail)
            case .inputTooLong(let detail): .passwordTooLong(detail)
            case .unsupported(let detail): .unsupported(detail)
            case .cancelled: .cancelled
            case .failed(let detail): .backendFailed(detail)
            }
    }

    /// Converts an error of SCRAM.
    init(_ error: SCRAM.Error) {
        let code: Code =
            switch error.code {
            case .malformedVerifier: .malformed
            case .unsupported: .unsupported
            case .overLimit: .overLimit
            case .textNotAllowed: .passwordNotAllowed
            case .outOfMemory: .outOfMemory
            default: .backendFailed
            }
        self.init(code, message: error.message, underlying: error)
    }

    /// Converts the failure of a system call on a list.
    init(unreadable error: SystemError) {
        self.init(.unreadableBlocklist, message: error.description)
    }
}
