// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The reason why a part of a login server cannot be created as requested.
///
/// Two errors are equal when their codes are equal, so that they can be caught by name. An invalid request of a client
/// is never an error here; it is a value such as ``LoginVerification/rejected``.
public struct LoginServerError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable { case invalidConfiguration, malformedCredential, outOfMemory }

    private let code: Code

    /// A message for people.
    public let description: String

    private init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// A limit, lifetime or key is outside its allowed range.
    public static let invalidConfiguration = invalidConfiguration("a value is outside its allowed range")
    /// A user's credential is neither a password-equivalent nor a hash that CredKit supports.
    public static let malformedCredential = malformedCredential("malformed password credential")
    /// There is not enough guarded memory for a key.
    public static let outOfMemory = Self(.outOfMemory, "there is not enough memory for a key")

    static func invalidConfiguration(_ detail: String) -> Self { Self(.invalidConfiguration, detail) }
    static func malformedCredential(_ detail: String) -> Self { Self(.malformedCredential, detail) }

    /// Returns whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Throws if a value is outside a range.
    static func check<Value: Comparable>(
        _ name: String,
        _ value: Value,
        in range: ClosedRange<Value>
    ) throws(LoginServerError) {
        guard range.contains(value) else {
            throw invalidConfiguration(
                "\(name) is \(value), but must be from \(range.lowerBound) to \(range.upperBound)"
            )
        }
    }
}
