// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// A file that the settings name.
struct SettingsFile {
    let path: String
    /// The name of its content in messages.
    private let content: String
    private let mode: mode_t

    /// Gets the status of a file without opening it. Opening a pipe would wait for its writer, who would then
    /// be gone for the next reader.
    ///
    /// - Throws: ``ClientError/unreadableFile``.
    init(_ path: String, _ content: String) throws(ClientError) {
        self.path = path
        self.content = content
        // The system would end the path at a NUL.
        guard !path.utf8.contains(0) else { throw Self.unreadable(path, content, EINVAL) }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Self.unreadable(path, content, errno) }
        mode = status.st_mode
    }

    /// Whether the file can be read only once, such as a pipe.
    var isStream: Bool { mode & S_IFMT != S_IFREG && mode & S_IFMT != S_IFDIR }

    /// Rejects a file that users other than its owner can access.
    ///
    /// - Throws: ``ClientError/insecureKeyFile``.
    func checkPermissions() throws(ClientError) { try check(mode) }

    /// Rejects a file that other users can change, or can put another file in the place of.
    ///
    /// - Throws: ``ClientError/insecureFile``, ``ClientError/unreadableFile``.
    func refuseIfOthersCanChange() throws(ClientError) {
        // O_PATH, which Swift does not import: opening a pipe to read would take what is in it.
        let number = unsafe Glibc.open(path, 0o10_000_000 | O_CLOEXEC)
        guard number >= 0 else { throw unreadable(errno) }
        defer { close(number) }
        do throws(SystemError) {
            try TrustedFile.check(number, path: Array(path.utf8), name: "the file '\(path)'")
        } catch {
            guard error.kind == .insecureFile else { throw .unreadableFile(error.description) }
            throw .insecureFile(error.description)
        }
    }

    /// Reads all bytes.
    ///
    /// - Throws: ``ClientError/unreadableFile``; ``ClientError/invalidCertificateFile`` if there are more bytes
    ///   than `limit`.
    func bytes(limit: Int) throws(ClientError) -> [UInt8] {
        let descriptor = try open()
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            var errorNumber: Int32 = 0
            let before = bytes.count
            bytes.append(addingCapacity: 64 << 10) { output in errorNumber = fill(&output, from: descriptor) }
            guard errorNumber == 0 else { throw unreadable(errorNumber) }
            guard bytes.count <= limit else { throw malformed("it has more than \(limit) bytes") }
            if bytes.count == before { return bytes }
        }
    }

    /// Reads all bytes into guarded memory.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - isPrivate: Whether to reject a file that other users can access.
    /// - Returns: The bytes.
    /// - Throws: The errors of ``bytes(limit:)``, ``ClientError/insecureKeyFile``, ``ClientError/outOfMemory``.
    func secret(limit: Int, isPrivate: Bool) throws(ClientError) -> SecretBytes {
        let descriptor = try open()
        defer { close(descriptor) }
        if isPrivate {
            // Checks the open file, because the path may name another file by now.
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
            try check(status.st_mode)
        }
        var errorNumber: Int32 = 0
        let secret: SecretBytes
        do throws(SecretMemoryError) {
            secret = try SecretBytes(capacity: limit + 1) { output in
                errorNumber = fill(&output, from: descriptor)
            }
        } catch {
            throw .outOfMemory
        }
        guard errorNumber == 0 else { throw unreadable(errorNumber) }
        guard secret.count <= limit else { throw malformed("it has more than \(limit) bytes") }
        return secret
    }

    /// Returns an error about the content.
    func malformed(_ reason: String) -> ClientError {
        .invalidCertificateFile("cannot use \(content) '\(path)': \(reason)")
    }

    private func check(_ mode: mode_t) throws(ClientError) {
        guard mode & 0o077 == 0 else {
            throw .insecureKeyFile(
                "\(content) '\(path)' can be accessed by other users (run chmod 600 '\(path)')"
            )
        }
    }

    private func open() throws(ClientError) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(errno) }
        return descriptor
    }

    /// Reads until the memory is full or the file ends.
    ///
    /// - Returns: The system's error number, or 0.
    private func fill(_ output: inout OutputSpan<UInt8>, from descriptor: Int32) -> Int32 {
        unsafe output.withUnsafeMutableBufferPointer { buffer, count in
            while count < buffer.count {
                let start = unsafe buffer.baseAddress?.advanced(by: count)
                let step = unsafe read(descriptor, start, buffer.count - count)
                if step > 0 {
                    count += step
                } else if step == 0 {
                    return 0
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }

    private func unreadable(_ errorNumber: Int32) -> ClientError {
        Self.unreadable(path, content, errorNumber)
    }

    private static func unreadable(_ path: String, _ content: String, _ errorNumber: Int32) -> ClientError {
        .unreadableFile("cannot read \(content) '\(path)': \(SystemError.message(of: errorNumber))")
    }
}
