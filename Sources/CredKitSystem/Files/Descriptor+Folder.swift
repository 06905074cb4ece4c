// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Descriptor {
    /// Returns the names of all files in a folder.
    ///
    /// - Parameter path: The folder's name in messages.
    /// - Returns: The names.
    /// - Throws: ``SystemError`` if the folder cannot be read.
    package func entryNames(named path: String = "") throws(SystemError) -> [String] {
        let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            throw SystemError(errno, "cannot list the folder \(path)")
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }
}
