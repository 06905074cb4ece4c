// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An error of a part of a login server.
///
/// Two errors are equal when their codes are equal, so that they can be caught by name:
///
/// ```swift
/// do {
///     decision = try await service.logIn(…)
/// } catch where error.code == .storeFailed {
///     …                                  // answer 503, and log `error.underlying`
/// } catch {
///     …
/// }
/// ```
///
/// An invalid request of a client is never an error here; it is a value such as ``LoginVerification/rejected``. An error
/// contains no password, proof, token or challenge.
public struct LoginServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error. Your own stores can define further kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A limit, lifetime or key is outside its allowed range.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// A user's credential is neither a password-equivalent nor a hash that CredKit supports.
        public static let malformedCredential = Code(rawValue: "malformedCredential")
        /// A user's credential is valid, but not for this mechanism.
        public static let unsuitableCredential = Code(rawValue: "unsuitableCredential")
        /// There is not enough guarded memory for a key.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// The time or its offset from UTC is outside the range of minutes.
        public static let timeOutOfRange = Code(rawValue: "timeOutOfRange")
        /// A store did not answer. The error of the store is ``LoginServerError/underlying``.
        public static let storeFailed = Code(rawValue: "storeFailed")
        /// The lookup of a user or key failed. Its error is ``LoginServerError/underlying``.
        public static let lookupFailed = Code(rawValue: "lookupFailed")
        /// A login mechanism or a second step failed. Its error is ``LoginServerError/underlying``.
        public static let mechanismFailed = Code(rawValue: "mechanismFailed")
        /// The content of a request could not be read. The error is ``LoginServerError/underlying``.
        public static let contentFailed = Code(rawValue: "contentFailed")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// The kind of the error.
    public let code: Code

    /// A message for people.
    public let description: String

    /// The error that caused this one, for example of a database. It may contain what that database reports.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: A message for people: what failed, on what, why, and what to do. It must not contain secrets.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, message: String, underlying: (any Error)? = nil) {
        self.code = code
        description = message
        self.underlying = underlying
    }

    /// A limit, lifetime or key is outside its allowed range.
    public static let invalidConfiguration = Self(
        .invalidConfiguration,
        message: "a value is outside its allowed range"
    )
    /// A user's credential is neither a password-equivalent nor a hash that CredKit supports.
    public static let malformedCredential = Self(
        .malformedCredential,
        message: "malformed password credential"
    )
    /// A user's credential is valid, but not for this mechanism.
    public static let unsuitableCredential = Self(
        .unsuitableCredential,
        message: "the credential cannot be used for this mechanism"
    )
    /// There is not enough guarded memory for a key.
    public static let outOfMemory = Self(.outOfMemory, message: "there is not enough memory for a key")
    /// The time or its offset from UTC is outside the range of minutes.
    public static let timeOutOfRange = Self(
        .timeOutOfRange,
        message:
            "cannot issue a challenge: the year is not from 0001 to 9999, or the offset from UTC is 24 hours or more"
    )
    /// A store did not answer.
    public static let storeFailed = Self(.storeFailed, message: "a store failed")
    /// The lookup of a user or key failed.
    public static let lookupFailed = Self(.lookupFailed, message: "a lookup failed")
    /// A login mechanism or a second step failed.
    public static let mechanismFailed = Self(.mechanismFailed, message: "a login mechanism failed")
    /// The content of a request could not be read.
    public static let contentFailed = Self(.contentFailed, message: "cannot read the content of a request")
    /// The task was cancelled.
    public static let cancelled = Self(.cancelled, message: "the task was cancelled")

    /// Returns whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension LoginServerError {
    static func unsuitable(_ reason: String) -> Self {
        Self(.unsuitableCredential, message: "the credential cannot be used for SCRAM: \(reason)")
    }

    /// Throws if a value is outside a range.
    static func check<Value: Comparable>(
        _ name: String,
        _ value: Value,
        in range: ClosedRange<Value>
    ) throws(LoginServerError) {
        guard range.contains(value) else {
            throw LoginServerError(
                .invalidConfiguration,
                message: "\(name) is \(value), but must be from \(range.lowerBound) to \(range.upperBound)"
            )
        }
    }

    /// Calls an operation of a user's type, and wraps the errors that it throws.
    static func wrapping<Value>(
        _ message: String,
        code: Code = .storeFailed,
        _ operation: () async throws -> Value
    ) async throws(LoginServerError) -> Value {
        do {
            return try await operation()
        } catch let error as LoginServerError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw LoginServerError(code, message: message, underlying: error)
        }
    }

    /// Finds a user in a user's table, and wraps the errors that it throws.
    static func wrappingLookup(
        _ lookup: () async throws -> LoginAccount?
    ) async throws(LoginServerError) -> LoginAccount? {
        try await wrapping("the lookup of the user failed", code: .lookupFailed, lookup)
    }
}
