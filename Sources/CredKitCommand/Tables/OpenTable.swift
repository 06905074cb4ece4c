// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTerminal
import Glibc

/// A table that is open only for reading.
final class OpenTable {
    let descriptor: Int32

    /// Opens a table. One that is only read once can also be a pipe.
    init(_ file: FileArgument, isReadOnce: Bool = false) throws {
        descriptor = open(file.bytes.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw CommandFailure(.inputOutput, "\(file.quoted): \(SystemError.message(of: errno))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, isReadOnce || status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CommandFailure(.inputOutput, "\(file.quoted): not a regular file, which can be read twice")
        }
    }

    deinit { close(descriptor) }

    /// Seeks to the start.
    func rewind() throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw CommandFailure(.inputOutput, SystemError.message(of: errno))
        }
    }
}
