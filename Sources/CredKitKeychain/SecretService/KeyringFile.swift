// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// The file of a gnome-keyring collection. A collection without a password is stored in a text file, which does not
/// preserve every secret (observed with gnome-keyring 42.1).
enum KeyringFile {
    /// Returns whether a collection has no password.
    ///
    /// - Parameters:
    ///   - collection: The object path of the collection.
    ///   - process: The process number of the service.
    /// - Returns: `nil` if this cannot be determined: the service is not a gnome-keyring of this machine, or the file
    ///   cannot be found or read. In this case no secret is refused.
    static func hasNoPassword(collection: String, process: UInt32) -> Bool? {
        guard name(ofProcess: process)?.hasPrefix("gnome-keyring") == true,
            let identifier = identifier(ofCollection: collection),
            let directory = dataDirectory(ofProcess: process) ?? (try? UserDirectories.data()),
            let start = start(ofFile: "\(directory)/keyrings/\(identifier).keyring", byteCount: 12)
        else { return nil }
        if start.starts(with: "GnomeKeyring".utf8) { return false }
        return start.starts(with: "[keyring]".utf8) ? true : nil
    }

    /// Returns the kernel's name of a process, at most 15 bytes.
    static func name(ofProcess process: UInt32) -> String? {
        start(ofFile: "/proc/\(process)/comm", byteCount: 64).map { name in
            String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }

    /// Returns the name of the file. The object path encodes all bytes except letters and digits as `_xx`.
    static func identifier(ofCollection path: String) -> String? {
        guard let last = path.split(separator: "/").last else { return nil }
        var bytes: [UInt8] = []
        var rest = last.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "_") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        // The name must not contain a path that leads out of the folder.
        guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the data directory of another process, from its environment, which is unreadable if the daemon has
    /// capabilities.
    private static func dataDirectory(ofProcess process: UInt32) -> String? {
        guard let environment = start(ofFile: "/proc/\(process)/environ", byteCount: 1 << 20) else {
            return nil
        }
        func value(_ name: String) -> String? {
            let variable = environment.split(separator: 0).first { $0.starts(with: (name + "=").utf8) }
            let value = variable.map { String(decoding: $0.dropFirst(name.utf8.count + 1), as: UTF8.self) }
            return value.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        return value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
    }

    /// Returns the first bytes of a file; `nil` if it is empty or cannot be read.
    static func start(ofFile path: String, byteCount: Int) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(byteCount, 4096))
        while bytes.count < byteCount {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes.isEmpty ? nil : bytes
    }
}
