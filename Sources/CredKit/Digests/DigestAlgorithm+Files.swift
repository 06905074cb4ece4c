// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension DigestAlgorithm {
    /// Returns the digest of a file's content, which is read in pieces: the memory used does not grow with the file.
    ///
    /// ```swift
    /// print(try Legacy.MD5.hash(contentsOfFile: "/etc/hostname").hex)
    /// ```
    ///
    /// - Parameter path: The path of a file, a pipe or a device.
    /// - Returns: The digest.
    /// - Throws: ``FileError`` if the file cannot be opened or read.
    public static func hash(contentsOfFile path: String) throws(FileError) -> Digest {
        // For the system the path would end at a NUL, and would name another file.
        guard !path.utf8.contains(0) else { throw FileError(.open, errorNumber: EINVAL) }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(.open, errorNumber: errno) }
        defer { close(descriptor) }
        return try hash(fileDescriptor: descriptor)
    }

    /// Returns the digest of the data that can be read from a file descriptor, from its current position to its end.
    ///
    /// - Parameter descriptor: An open descriptor; it stays open.
    /// - Returns: The digest.
    /// - Throws: ``FileError`` if reading fails.
    public static func hash(fileDescriptor descriptor: Int32) throws(FileError) -> Digest {
        var function = Self()
        try FileReader(descriptor: descriptor).forEachChunk(orThrow: { $0 }) { (chunk) throws(FileError) in
            function.update(chunk)
        }
        return function.finalize()
    }
}
