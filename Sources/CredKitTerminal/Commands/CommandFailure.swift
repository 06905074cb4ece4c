// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import CredKitKeychain

/// A failure that ends the command, with an exit status and a message.
public struct CommandFailure: Error, Sendable {
    /// The exit status.
    public let status: ExitStatus
    /// The message for the user; `nil` if it was reported already.
    public let message: String?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - status: The exit status.
    ///   - message: The message for the user; `nil` if it was reported already.
    public init(_ status: ExitStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }

    /// Runs a command that replaces a well-known tool, and exits like that tool with 1 when input or output fails.
    public static func answeringOne(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as CommandFailure where failure.status == .inputOutput {
            throw CommandFailure(.no, failure.message)
        }
    }
}

extension CommandFailure {
    /// Creates the failure that reports an error of the core or the keychain; `nil` for all other errors.
    public init?(reportingLibrary error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as PasswordError: self.init(reporting: error)
        case let error as KeychainError: self.init(reporting: error)
        case let error as OneTimeCodeError: self.init(ExitStatus(error), "\(error)")
        case let error as SecretMemoryError: self.init(ExitStatus(error), "\(error)")
        default: return nil
        }
    }

    /// Creates the failure that reports a keychain error.
    public init(reporting error: KeychainError) {
        self.init(ExitStatus(error), ShellQuoting.escapingUnprintable(error.description))
    }

    /// Creates the failure that reports an error with a password or a hash.
    public init(reporting error: PasswordError) {
        self.init(ExitStatus(error), "\(error)")
    }
}
