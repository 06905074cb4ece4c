// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Glibc

/// A file that is written at once: it has its previous content, if any, until ``commit()``, and nothing half-written
/// ever stands under its name. Devices, pipes and standard output are written directly.
public final class OutputFile {
    private let file: Descriptor
    /// What fails if writing does, for people.
    private let operation: String
    /// The file to create or to replace; `nil` if what is written is the destination itself.
    private let path: OutputPath?
    /// The name of the file until it is complete, on file systems that have no files without a name.
    private var temporary: [CChar]?

    /// Prepares the file.
    ///
    /// - Parameters:
    ///   - file: The name of the file; `-` is standard output. A symbolic link is followed.
    ///   - mode: The permissions of a new file, from which the umask takes away. A file that exists keeps its own, and its
    ///     group.
    /// - Throws: ``CommandFailure`` if no file can be written there; with ``ExitStatus/refused`` if another user
    ///   has put something there (see ``OutputPath``).
    public init(_ file: FileArgument, mode: UInt32) throws(CommandFailure) {
        operation = file.isStandardInput ? "write error" : file.quoted
        do throws(SystemError) {
            if file.isStandardInput {
                self.file = try .duplicate(STDOUT_FILENO, operation)
                path = nil
                return
            }
            let path = try OutputPath(file.bytes, operation)
            if let direct = try path.openDirect() {
                (self.file, self.path) = (direct, nil)
                return
            }
            if path.isFile && faccessat(path.folder.number, path.name, W_OK, 0) != 0 {
                throw SystemError(errno, operation)
            }
            if let unnamed = Descriptor.unnamed(in: path.folder, O_WRONLY) {
                self.file = unnamed
            } else {
                (self.file, temporary) = try Descriptor.named(in: path.folder, operation)
            }
            self.path = path
            if path.isFile {
                // If this fails, only this user can read the file.
                _ = ReplacedFile.passAccess(of: path.name, in: path.folder.number, to: self.file.number)
            } else {
                let mask = umask(0)
                umask(mask)
                fchmod(self.file.number, mode & ~mask)
            }
        } catch {
            throw CommandFailure(.init(creating: error), error.description)
        }
    }

    deinit {
        if let temporary, let path { unlinkat(path.folder.number, temporary, 0) }
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(CommandFailure) {
        try reporting { () throws(SystemError) in try file.writeAll(bytes, operation) }
    }

    /// Locks the file until this process ends. Before ``commit()``, no other process can have locked it, or sees it unlocked.
    public func lockUntilExit() throws(CommandFailure) {
        let kept = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
        guard kept >= 0, flock(kept, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(.inputOutput, SystemError(errno, operation).description)
        }
    }

    /// Gives the file its name, in place of the file that had it.
    public func commit() throws(CommandFailure) {
        guard let path else { return }
        try reporting { () throws(SystemError) in
            try file.synchronize(operation)
            // Renaming replaces a file, but a file without a name can only be linked.
            let name =
                if let temporary { temporary } else {
                    try file.linkTemporarily(in: path.folder, operation)
                }
            temporary = name
            guard renameat(path.folder.number, name, path.folder.number, path.name) == 0 else {
                throw SystemError(errno, operation)
            }
            temporary = nil
            // So that the name outlives a power failure. A folder may be one that this user can write and not read.
            let folder = openat(path.folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if folder >= 0 { try Descriptor(folder).synchronize(operation) }
        }
    }

    private func reporting(_ body: () throws(SystemError) -> Void) throws(CommandFailure) {
        do throws(SystemError) { try body() } catch { throw CommandFailure(.inputOutput, error.description) }
    }
}
