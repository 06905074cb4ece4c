// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
