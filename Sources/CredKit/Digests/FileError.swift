// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A file could not be opened or read.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What failed.
    public enum Operation: Sendable, Hashable {
        /// Opening the file.
        case open
        /// Reading from it.
        case read
    }

    /// What failed.
    public let operation: Operation

    /// The system's number of the error, as `errno` has it.
    public let errorNumber: Int32

    package init(_ operation: Operation, errorNumber: Int32) {
        self.operation = operation
        self.errorNumber = errorNumber
    }

    /// The system's message, for instance `No such file or directory`.
    public var message: String { SystemError.message(of: errorNumber) }

    /// A sentence for people.
    public var description: String {
        operation == .open ? "cannot open the file: \(message)" : "cannot read the file: \(message)"
    }
}
