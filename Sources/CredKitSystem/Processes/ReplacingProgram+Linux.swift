// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// The program that takes the place of this one in the same process.
package enum ReplacingProgram {
    /// Starts the program. Nothing of this program remains in memory then.
    ///
    /// - Parameters:
    ///   - arguments: The name of the program, which is searched for in `PATH`, and its arguments; without NUL bytes.
    ///   - variables: Variables that it gets besides those of the environment, or in their place: `NAME=VALUE` one after the
    ///     other, each with a NUL byte at its end.
    ///   - count: The number of these.
    ///   - hiddenVariable: The name of a variable of the environment that it does not get.
    /// - Returns: The error number. There is no other return.
    package static func start(
        _ arguments: [[UInt8]],
        variables: Span<UInt8>,
        count: Int,
        without hiddenVariable: String
    ) -> Int32 {
        let words: [UInt8] = arguments.flatMap { $0 + [0] }
        return unsafe variables.withUnsafeBytes { variables in
            unsafe words.withUnsafeBytes { words in
                unsafe credkit_execute(
                    words.baseAddress,
                    arguments.count,
                    variables.baseAddress,
                    count,
                    hiddenVariable
                )
            }
        }
    }

    /// Creates a file in memory that the program inherits: its number, and `/dev/fd/NUMBER`, can be read by it and its child
    /// processes, and by others of the same user.
    ///
    /// - Parameters:
    ///   - content: The content, which cannot be changed later.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The file, whose position is its start.
    /// - Throws: ``SystemError``.
    package static func inheritedFile(
        _ content: Span<UInt8>,
        _ operation: String
    ) throws(SystemError) -> Descriptor {
        let number = credkit_memory_file()
        guard number >= 0 else { throw SystemError(errno, operation) }
        let file = Descriptor(number)
        try file.writeAll(content, operation)
        guard credkit_memory_file_seal(number) == 0, lseek(number, 0, SEEK_SET) == 0,
            fcntl(number, F_SETFD, 0) == 0
        else { throw SystemError(errno, operation) }
        return file
    }
}
