// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc

/// A new file that only this user can read. It has its name when it is whole, or never.
enum PrivateFile {
    /// Throws if there is something by that name.
    static func refuseExisting(_ file: FileArgument) throws {
        var status = stat()
        guard lstat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) != 0 else {
            throw CommandFailure(.cannotCreate, "\(file.quoted): is there already, and is left as it is")
        }
    }

    /// Writes a file where nothing is. What interrupts it leaves nothing behind.
    static func create(_ file: FileArgument, _ content: some SecretInput) throws {
        let path = file.bytes.map { CChar(bitPattern: $0) } + [0]
        let slash = file.bytes.lastIndex(of: UInt8(ascii: "/"))
        let folder =
            slash.map { $0 == 0 ? [CChar(bitPattern: 47)] : Array(path[..<$0]) } ?? [CChar(bitPattern: 46)]
        // A file without a name, where the file system has them: O_TMPFILE, which Swift does not see.
        var descriptor = open(folder + [0], O_WRONLY | O_CLOEXEC | 0o20_000_000 | O_DIRECTORY, 0o600)
        let hasName = descriptor < 0
        if hasName { descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw failure(.cannotCreate, file) }
        defer { close(descriptor) }
        do {
            guard fchmod(descriptor, 0o600) == 0 else { throw failure(.cannotCreate, file) }
            try write(content, to: descriptor, file)
            if !hasName {
                guard
                    linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
                else { throw failure(.cannotCreate, file) }
            }
        } catch {
            if hasName { unlink(path) }
            throw error
        }
    }

    private static func write(
        _ content: some SecretInput,
        to descriptor: Int32,
        _ file: FileArgument
    ) throws {
        let isWritten = content.withSecretBytes { bytes in
            bytes.withUnsafeBytes { buffer in
                var written = 0
                while written < buffer.count {
                    let start = buffer.baseAddress?.advanced(by: written)
                    let count = Glibc.write(descriptor, start, buffer.count - written)
                    if count >= 0 {
                        written += count
                    } else if errno != EINTR {
                        return false
                    }
                }
                return true
            }
        }
        guard isWritten else { throw failure(.inputOutput, file) }
        guard fsync(descriptor) == 0 else { throw failure(.inputOutput, file) }
    }

    private static func failure(_ status: CommandFailure.Status, _ file: FileArgument) -> CommandFailure {
        CommandFailure(status, "\(file.quoted): \(SystemError.message(of: errno))")
    }
}
