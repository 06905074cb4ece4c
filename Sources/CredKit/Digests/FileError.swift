// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The error when a file cannot be opened or read.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The operation that failed.
    public enum Operation: Sendable, Hashable {
        /// Opening the file.
        case open
        /// Reading from it.
        case read
    }

    /// The operation that failed.
    public let operation: Operation

    /// The system's error number, from `errno`.
    public let errorNumber: Int32

    /// Creates the error, for readers of your own and for tests.
    ///
    /// - Parameters:
    ///   - operation: The operation that failed.
    ///   - errorNumber: The system's error number, from `errno`.
    public init(_ operation: Operation, errorNumber: Int32) {
        self.operation = operation
        self.errorNumber = errorNumber
    }

    /// The system's message, for instance `No such file or directory`.
    public var message: String { SystemError.message(of: errorNumber) }

    /// A description for people.
    public var description: String {
        operation == .open ? "cannot open the file: \(message)" : "cannot read the file: \(message)"
    }
}
