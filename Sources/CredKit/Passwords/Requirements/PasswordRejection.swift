// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a new password is not acceptable. It contains nothing of the password.
public struct PasswordRejection: Sendable, Hashable, CustomStringConvertible {
    /// The reason, in a word that programs compare. Later versions may add reasons.
    public struct Reason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The word, such as `tooShort`.
        public let rawValue: String

        /// Creates a reason.
        ///
        /// - Parameter rawValue: A word that no other reason has.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The word.
        public var description: String { rawValue }

        /// The password is shorter than ``PasswordRequirements/minimumLength``.
        public static let tooShort = Self(rawValue: "tooShort")
        /// The password is longer than ``PasswordRequirements/maximumLength``.
        public static let tooLong = Self(rawValue: "tooLong")
        /// The policy's ``PasswordNormalization`` rejects the password.
        public static let notAllowed = Self(rawValue: "notAllowed")
        /// The password is a name of the user, repeated or changed in a simple way.
        public static let containsUserName = Self(rawValue: "containsUserName")
        /// The password is the name of the service, repeated or changed in a simple way.
        public static let containsServiceName = Self(rawValue: "containsServiceName")
        /// The password is on a list.
        public static let onBlocklist = Self(rawValue: "onBlocklist")
    }

    /// The reason.
    public let reason: Reason

    /// The ``PasswordBlocklist/name`` of the list, for logs and administrators, if the password is on one.
    public let blocklist: String?

    /// A sentence for the user.
    public let description: String

    private init(_ reason: Reason, _ description: String, blocklist: String? = nil) {
        self.reason = reason
        self.description = description
        self.blocklist = blocklist
    }

    static func tooShort(minimum: Int) -> Self {
        Self(.tooShort, "the password is shorter than \(minimum) characters")
    }

    static func tooLong(maximum: Int) -> Self {
        Self(.tooLong, "the password is longer than \(maximum) characters")
    }

    static func notAllowed(_ message: String) -> Self { Self(.notAllowed, message) }

    static func derived(from kind: PasswordRequirements.ContextWord.Kind) -> Self {
        let rest = "and little else"
        return switch kind {
        case .userName: Self(.containsUserName, "the password contains the user name \(rest)")
        case .serviceName: Self(.containsServiceName, "the password contains the name of the service \(rest)")
        }
    }

    static func listed(in name: String) -> Self {
        Self(.onBlocklist, "the password is on a list of common or leaked passwords", blocklist: name)
    }
}
