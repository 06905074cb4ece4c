// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
/// CredKit's own errors contain neither a password nor a part of a stored hash, except for the name of a missing key.
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
}

extension PasswordError {
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
}
