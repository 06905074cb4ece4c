// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A failure that ends the command, with an exit status and a message.
public struct CommandFailure: Error, Sendable {
    /// The exit statuses that scripts may rely on. Those from 64 on are defined in `sysexits.h`.
    public enum Status: Int32, Sendable {
        /// No: a check failed, or a file could not be read where the corresponding well-known tool exits with 1.
        case no = 1
        /// The command line is invalid. Used for errors found late; the argument parser exits with 64 itself.
        case usage = 64
        /// The data is malformed or over a limit.
        case malformed = 65
        /// A service is unavailable or does not answer.
        case unavailable = 69
        /// A file cannot be created.
        case cannotCreate = 73
        /// Input or output failed.
        case inputOutput = 74
        /// Try again later: there is not enough memory, or another program holds a lock.
        case tryAgain = 75
        /// Refused: a wrong passphrase, a locked keyring, a file that others can change.
        case refused = 77
    }

    /// The exit status.
    public let status: Status
    /// The message for the user; `nil` if it was reported already.
    public let message: String?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - status: The exit status.
    ///   - message: The message for the user; `nil` if it was reported already.
    public init(_ status: Status, _ message: String? = nil) {
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
