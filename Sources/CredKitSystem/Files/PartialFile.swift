// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file that is written in several runs of a program. Its bytes stand under another name, beside a note about them,
/// until they are whole and on the disk; then it gets its name.
///
/// Only this user can read it, and one run at a time can open it.
package final class PartialFile: Sendable {
    /// What the names of the bytes and of the note end in.
    private static let (partSuffix, noteSuffix) = (".credkit-part", ".credkit-note")

    let folder: Descriptor
    let file: Descriptor
    private let name: String
    let operation: String
    private let ended = Lock(false)

    private var partName: String { name + Self.partSuffix }
    var noteName: String { name + Self.noteSuffix }

    /// Opens the bytes of an earlier run, or creates a file without any.
    ///
    /// - Parameters:
    ///   - path: The path that the file gets. A file there is replaced; a symbolic link is followed.
    ///   - operation: What fails if this does, for people: "cannot write /a/b".
    /// - Throws: SystemError; `insecureFile` if others could have written the bytes, or put something under the name
    ///   (see ``OutputPath``).
    package init(_ path: String, _ operation: String) throws(SystemError) {
        let place = try OutputPath(Array(path.utf8), operation)
        guard
            let name = String(validating: place.name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        else { throw SystemError(EILSEQ, operation) }
        guard !place.isDirect else {
            throw SystemError(.inputOutput, "\(operation): it is a device, a pipe or a socket, not a file")
        }
        self.name = name
        self.operation = operation
        // Waiting for the disk takes a folder that is open for reading.
        let number = unsafe openat(place.folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, operation) }
        folder = Descriptor(number)
        file = try Self.openPart(name + Self.partSuffix, in: folder, operation)
    }

    /// A folder, a device or a pipe that has taken the name meanwhile must not be replaced by a file.
    private func checkTarget() throws(SystemError) {
        guard let status = Self.status(of: name, in: folder) else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFLNK: return
        case S_IFDIR: throw SystemError(EISDIR, operation)
        default:
            throw SystemError(.inputOutput, "\(operation): it is a device, a pipe or a socket, not a file")
        }
    }

    private static func openPart(_ name: String, in folder: Descriptor, _ operation: String)
        throws(SystemError) -> Descriptor
    {
        // A run that ends meanwhile renames or removes the file, whose name another one then has.
        for _ in 0..<16 {
            let file = try Descriptor.open(name, in: folder.number, O_RDWR | O_CREAT, mode: 0o600)
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink <= 1,
                status.st_mode & (S_IWGRP | S_IWOTH) == 0
            else {
                throw SystemError(
                    .insecureFile,
                    "\(operation): \(name) is no ordinary file, or others could have written it: remove it"
                )
            }
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                throw SystemError(.inputOutput, "\(operation): another program is writing it")
            }
            guard fchmod(file.number, 0o600) == 0 else { throw SystemError(errno, operation) }
            if let named = Self.status(of: name, in: folder), named.st_ino == status.st_ino,
                named.st_dev == status.st_dev
            {
                return file
            }
        }
        throw SystemError(.inputOutput, "\(operation): other programs are writing it")
    }

    private static func status(of name: String, in folder: Descriptor) -> stat? {
        var status = stat()
        return unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    // MARK: Bytes

    /// The number of bytes.
    package func byteCount() throws(SystemError) -> Int64 { Int64(try file.status().st_size) }

    /// Writes bytes at a position.
    package func write(_ bytes: [UInt8], at position: Int64) throws(SystemError) {
        guard lseek(file.number, off_t(position), SEEK_SET) == off_t(position) else {
            throw SystemError(errno, operation)
        }
        try file.writeAll(bytes, operation)
    }

    /// Removes what is behind a position.
    package func truncate(to byteCount: Int64) throws(SystemError) {
        guard ftruncate(file.number, off_t(byteCount)) == 0 else { throw SystemError(errno, operation) }
    }

    /// Waits until the bytes are on the disk.
    package func synchronize() throws(SystemError) { try file.synchronize(operation) }

    /// Calls a function with the bytes from a position to another, in pieces.
    package func read(from start: Int64, to end: Int64, _ body: ([UInt8]) -> Void) throws(SystemError) {
        guard lseek(file.number, off_t(start), SEEK_SET) == off_t(start) else {
            throw SystemError(errno, operation)
        }
        var left = end - start
        while left > 0 {
            let piece = try file.readAll(limit: Int(min(left, 1 << 20)), expecting: 1 << 20)
            guard !piece.isEmpty else { throw SystemError(EIO, operation) }
            left -= Int64(piece.count)
            body(piece)
        }
    }

    // MARK: The end

    /// Gives the file its name, in place of the file that had it and with its group and permissions. When this returns, it
    /// will be found after a power failure as well.
    package func commit() throws(SystemError) {
        try checkTarget()
        let failure = unsafe ReplacedFile.passAccess(of: name, in: folder.number, to: file.number)
        guard failure == 0 else { throw SystemError(failure, operation) }
        try file.synchronize(operation)
        // Before the name is free for another run, which writes a note of its own.
        unsafe unlinkat(folder.number, noteName, 0)
        guard unsafe renameat(folder.number, partName, folder.number, name) == 0 else {
            throw SystemError(errno, operation)
        }
        ended.withLock { $0 = true }
        unlock()
        try folder.synchronize(operation)
    }

    /// Whether the names of bytes and note are no longer those of this run.
    package var hasEnded: Bool { ended.withLock { $0 } }

    /// Removes the bytes and the note.
    package func discard() {
        guard !hasEnded else { return }
        ended.withLock { $0 = true }
        unsafe unlinkat(folder.number, noteName, 0)
        unsafe unlinkat(folder.number, partName, 0)
        unlock()
    }

    /// Lets another run open the file. Otherwise this happens when the value is released, which may be later than a caller
    /// expects.
    package func unlock() { flock(file.number, LOCK_UN) }
}

extension PartialFile {
    /// Reads the note.
    ///
    /// - Parameter limit: The maximum number of bytes to read.
    /// - Returns: The note; `nil` if there is none that this user has written.
    package func note(limit: Int) -> [UInt8]? {
        guard let file = try? Descriptor.open(noteName, in: folder.number, O_RDONLY),
            let status = try? file.status(), status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & (S_IWGRP | S_IWOTH) == 0
        else { return nil }
        return try? file.readAll(limit: limit)
    }

    /// Writes the note, and waits until it is on the disk.
    package func write(note: [UInt8]) throws(SystemError) {
        unsafe unlinkat(folder.number, noteName, 0)
        let note = try (
            file: Descriptor.open(noteName, in: folder.number, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600),
            bytes: note
        )
        try note.file.writeAll(note.bytes, operation)
        try note.file.synchronize(operation)
    }

    /// Removes the note, also from the disk.
    package func removeNote() throws(SystemError) {
        guard unsafe unlinkat(folder.number, noteName, 0) == 0 else {
            guard errno == ENOENT else { throw SystemError(errno, operation) }
            return
        }
        try folder.synchronize(operation)
    }
}
