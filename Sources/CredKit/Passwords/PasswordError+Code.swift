// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
