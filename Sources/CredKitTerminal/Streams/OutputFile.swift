// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Glibc

/// A file that is written at once: it has its previous content, if any, until ``commit()``, and nothing half-written
/// ever stands under its name. Devices, pipes and standard output are written directly.
package final class OutputFile {
    private let descriptor: Int32
    private let isOwned: Bool
    /// The name in messages.
    private let name: String
    /// The file to create or to replace; `nil` if the descriptor is the destination itself.
    private let path: [UInt8]?
    /// The name of the file until it is complete, on file systems that have no files without a name.
    private var temporary: [CChar]?

    /// Prepares the file.
    ///
    /// - Parameters:
    ///   - file: The name of the file; `-` is standard output. A symbolic link is followed.
    ///   - mode: The permissions of a new file, from which the umask takes away. A file that exists keeps its own, and its
    ///     group.
    /// - Throws: ``CommandFailure`` if no file can be written there.
    package init(_ file: FileArgument, mode: UInt32) throws(CommandFailure) {
        name = file.isStandardInput ? "write error" : file.quoted
        if file.isStandardInput {
            (descriptor, isOwned, path) = (STDOUT_FILENO, false, nil)
            return
        }
        let path = Self.followingLinks(file.bytes)
        var status = stat()
        let exists = stat(Self.terminated(path), &status) == 0
        if exists && status.st_mode & S_IFMT != S_IFREG {
            descriptor = open(Self.terminated(path), O_WRONLY | O_CLOEXEC | O_NOCTTY)
            (isOwned, self.path) = (true, nil)
        } else {
            // Another user could have made it, readable by all.
            if exists && status.st_uid != geteuid() {
                throw CommandFailure(.cannotCreate, "\(file.quoted): it belongs to another user")
            }
            var link = stat()
            if !exists && lstat(Self.terminated(path), &link) == 0 {
                throw CommandFailure(
                    .cannotCreate,
                    "\(file.quoted): a symbolic link to a file that does not exist"
                )
            }
            if exists && access(Self.terminated(path), W_OK) != 0 {
                throw CommandFailure(.cannotCreate, "\(file.quoted): \(SystemError.message(of: errno))")
            }
            let folder = Self.folder(of: path)
            // O_TMPFILE, which Swift does not import.
            var number = open(
                Self.terminated(folder),
                O_WRONLY | O_CLOEXEC | 0o20_000_000 | O_DIRECTORY,
                0o600
            )
            if number < 0 && [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) {
                var template = Self.terminated(folder + Array(".credkit-XXXXXX".utf8))
                number = mkstemp(&template)
                if number >= 0 {
                    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
                    temporary = template
                }
            }
            descriptor = number
            (isOwned, self.path) = (true, path)
            if number >= 0 {
                let mask = umask(0)
                umask(mask)
                if exists {
                    // If this fails, only this user can read the file.
                    _ = ReplacedFile.passAccess(of: Self.terminated(path), to: number)
                } else {
                    fchmod(number, mode & ~mask)
                }
            }
        }
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "\(file.quoted): \(SystemError.message(of: errno))")
        }
    }

    deinit {
        if let temporary { unlink(temporary) }
        if isOwned && descriptor >= 0 { close(descriptor) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(CommandFailure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errno))")
            }
        }
    }

    /// Gives the file its name, in place of the file that had it.
    package func commit() throws(CommandFailure) {
        guard let path else { return }
        guard fsync(descriptor) == 0 else { throw failure() }
        var source = temporary ?? []
        if temporary == nil {
            // Renaming replaces a file, but a file without a name can only be linked.
            let digits = String(UInt64.random(in: .min ... .max), radix: 36)
            source = Self.terminated(Self.folder(of: path) + Array(".credkit-\(digits)".utf8))
            guard
                linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, source, AT_SYMLINK_FOLLOW) == 0
            else { throw failure() }
            temporary = source
        }
        guard rename(source, Self.terminated(path)) == 0 else { throw failure() }
        temporary = nil
    }

    private func failure() -> CommandFailure {
        CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errno))")
    }

    private static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }

    /// Returns the folder of a path, with a slash at its end.
    private static func folder(of path: [UInt8]) -> [UInt8] {
        path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? Array("./".utf8)
    }

    /// Returns the name of the file that a symbolic link leads to.
    package static func followingLinks(_ file: FileArgument) -> FileArgument {
        FileArgument(bytes: followingLinks(file.bytes))
    }

    private static func followingLinks(_ path: [UInt8]) -> [UInt8] {
        guard let resolved = realpath(terminated(path), nil) else { return path }
        defer { free(resolved) }
        return Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }
}
