// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
package import CredKit
import Glibc

/// Standard output and standard error.
package enum StandardStreams {
    /// Keeps the numbers 0 to 2 from going to files that are opened later, when the caller closed them: what is
    /// meant for standard output would otherwise be written into such a file. Reading and writing still fail.
    package static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest free number is taken, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes bytes to standard output, all of them, from where they are.
    package static func write(_ bytes: some SecretInput) throws(CommandFailure) {
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
    package static func writeLine(_ line: String) throws(CommandFailure) {
        try write(Array("\(line)\n".utf8))
    }

    /// Says something to people, on a line of standard error that begins with the program's name.
    package static func report(_ message: String, from program: String) {
        show("\(program): \(message)\n")
    }

    /// Shows a text on standard error as it is.
    package static func show(_ text: String) {
        // When even this fails there is nobody left to tell.
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
