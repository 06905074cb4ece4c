// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why the command ends without having done what was asked.
package struct CommandFailure: Error {
    /// The exit statuses that scripts may rely on. Those from 64 are the ones of `sysexits.h`.
    package enum Status: Int32 {
        /// No: a check failed, or a file could not be read where the well-known tools answer 1.
        case no = 1
        /// The command line is wrong in a way that shows late; mostly 64 comes from the argument parser.
        case usage = 64
        /// The data is malformed or over a limit.
        case malformed = 65
        /// A service is not there, or does not answer.
        case unavailable = 69
        /// A file cannot be created.
        case cannotCreate = 73
        /// Input or output failed.
        case inputOutput = 74
        /// Not now: there is not enough memory, or another program holds a lock.
        case tryAgain = 75
        /// Refused: a wrong passphrase, a locked keyring, a file that others can change.
        case refused = 77
    }

    package let status: Status
    /// What to tell people; `nil` where that has been said already.
    package let message: String?

    package init(_ status: Status, _ message: String? = nil) {
        self.status = status
        self.message = message
    }

    /// Runs the part of a command that stands in for a well-known tool which answers 1 when input or output
    /// fails.
    package static func answeringOne(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as CommandFailure where failure.status == .inputOutput {
            throw CommandFailure(.no, failure.message)
        }
    }
}
