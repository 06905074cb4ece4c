// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a part of a login server cannot be made as it was asked for.
///
/// Two errors are equal when their codes are, so that they can be caught by name. What a client did wrong is never an
/// error here: that is a value such as ``LoginVerification/rejected``.
public struct LoginServerError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable { case invalidConfiguration, malformedRecord, outOfMemory }

    private let code: Code

    /// A sentence for people.
    public let description: String

    private init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// A bound, lifetime or key is outside of what is allowed.
    public static let invalidConfiguration = invalidConfiguration("a value is outside of what is allowed")
    /// A user's record is neither a password-equivalent nor a hash that CredKit knows.
    public static let malformedRecord = malformedRecord("this is no record of a password")
    /// There is no guarded memory left for a key.
    public static let outOfMemory = Self(.outOfMemory, "there is not enough memory for a key")

    static func invalidConfiguration(_ detail: String) -> Self { Self(.invalidConfiguration, detail) }
    static func malformedRecord(_ detail: String) -> Self { Self(.malformedRecord, detail) }

    /// Whether both errors are of the same kind.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Refuses a value outside of a range.
    static func check<Value: Comparable>(
        _ name: String,
        _ value: Value,
        in range: ClosedRange<Value>
    ) throws(LoginServerError) {
        guard range.contains(value) else {
            throw invalidConfiguration(
                "\(name) must be from \(range.lowerBound) to \(range.upperBound), and not \(value)"
            )
        }
    }
}
