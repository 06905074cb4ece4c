// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
public import CredKit
import Glibc

/// Standard output and standard error.
public enum StandardStreams {
    private static let reserved = Lock<[Int32]>([])

    /// Reserves the descriptors 0 to 2 if the caller closed them. A file that is opened later would otherwise get such
    /// a number, and standard output would be written into it. Reading and writing these descriptors still fail.
    public static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The system assigns the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
            reserved.withLock { $0.append(descriptor) }
        }
    }

    /// Closes the reserved descriptors, for a program that takes the place of this one.
    package static func release() {
        let descriptors = reserved.withLock { $0 }
        for descriptor in descriptors { close(descriptor) }
    }

    /// Writes all bytes to standard output, without copying them.
    public static func write(_ bytes: some SecretInput) throws(CommandFailure) {
        try bytes.withSecretBytes { (bytes) throws(CommandFailure) in try write(bytes) }
    }

    private static func write(_ bytes: Span<UInt8>) throws(CommandFailure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(STDOUT_FILENO, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw CommandFailure(.inputOutput, "write error: \(SystemError.message(of: errno))")
            }
        }
    }

    /// Writes a line to standard output.
    public static func writeLine(_ line: String) throws(CommandFailure) {
        try write(Array("\(line)\n".utf8))
    }

    /// Writes a message to standard error, on a line that begins with the program's name. Unprintable characters are
    /// escaped, whatever the message is made of.
    public static func report(_ message: String, from program: String) {
        show("\(program): \(ShellQuoting.escapingUnprintable(message))\n")
    }

    /// Whether standard output is a terminal.
    public static var writesToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Returns lines for standard output: unchanged for a pipe or a file, with escapes in place of unprintable
    /// characters for a terminal.
    public static func showable(_ lines: [UInt8]) -> [UInt8] {
        writesToTerminal ? ShellQuoting.escapingUnprintableLines(lines) : lines
    }

    /// Writes a text to standard error unchanged.
    public static func show(_ text: String) {
        // A failure here cannot be reported anywhere.
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
