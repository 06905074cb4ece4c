// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// A vault's file on the disk, with its lock, its backup and the unfinished files of killed writers.
struct VaultFile: Sendable {
    let path: String
    private let directoryPath: String
    let name: String

    init(path: String) throws(KeychainError) {
        // Compares bytes: among Swift's characters, a slash before a combining character is not a slash.
        let utf8 = path.utf8
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), utf8.last != UInt8(ascii: "/"),
            utf8.first == UInt8(ascii: "/"), !utf8.contains(0)
        else {
            throw .invalid(
                "\(path) is not a valid path of a vault: it must be absolute and end in a file name"
            )
        }
        self.path = path
        name = String(path[utf8.index(after: slash)...])
        directoryPath = slash == path.startIndex ? "/" : String(path[..<slash])
        guard name.utf8.count <= 200 else { throw .invalid("the vault's file name is too long") }
    }

    var backupPath: String { path + ".bak" }
    var backupName: String { name + ".bak" }
    var lockName: String { name + ".lock" }
    /// The prefix and the suffix of the names of unfinished files, and the number of hexadecimal digits between them.
    var unfinished: (prefix: String, digitCount: Int, suffix: String) { (".\(name).", 16, ".tmp") }

    func directory(isCreated: Bool = false) throws(KeychainError) -> PrivateDirectory {
        try converting(PrivateDirectory(directoryPath, isCreated: isCreated))
    }

    /// Reads the header alone; returns `nil` if there is no file. Opens the folder unless it is passed.
    func readHeader(
        in directory: PrivateDirectory? = nil
    ) throws(KeychainError) -> (header: VaultHeader, bytes: [UInt8])? {
        guard let file = try openExisting(name, in: directory) else { return nil }
        return try Self.readHeader(file)
    }

    /// Reads the whole file; returns `nil` if there is none. Opens the folder unless it is passed.
    func read(in directory: PrivateDirectory? = nil) throws(KeychainError) -> VaultContents? {
        try read(name, in: directory)
    }

    /// Reads the whole backup; returns `nil` if there is none. Opens the folder unless it is passed.
    func readBackup(in directory: PrivateDirectory? = nil) throws(KeychainError) -> VaultContents? {
        try read(backupName, in: directory)
    }

    /// The header of the vault, or else of its backup; `nil` if neither can be read.
    var readableHeader: VaultHeader? {
        if let header = try? readHeader()?.header { return header }
        return backupHeader(in: nil)
    }

    /// The header of the backup; `nil` if it cannot be read.
    func backupHeader(in directory: PrivateDirectory?) -> VaultHeader? {
        guard let backup = try? openExisting(backupName, in: directory) else { return nil }
        return (try? Self.readHeader(backup))?.header
    }

    /// Waits until the vault that has the name now is on the disk, as far as the file system can tell.
    func synchronize() {
        guard let directory = try? directory(), let file = try? directory.open(name, O_RDONLY) else { return }
        try? file.synchronize("")
        try? directory.synchronize()
    }

    /// Whether there is a backup.
    var hasBackup: Bool { (try? directory())?.contains(backupName) ?? false }

    /// Opens a file; returns `nil` if it does not exist. A missing vault whose backup exists is an error, not an empty
    /// vault.
    private func openExisting(
        _ name: String,
        in opened: PrivateDirectory?
    ) throws(KeychainError) -> Descriptor? {
        let directory: PrivateDirectory
        do throws(KeychainError) {
            if let opened { directory = opened } else { directory = try self.directory() }
        } catch .notFound {
            return nil
        }
        do throws(KeychainError) {
            return try converting(directory.open(name, O_RDONLY))
        } catch .notFound {
            if name == self.name && directory.contains(backupName) {
                throw .damaged(
                    "the vault \(path) is missing, but its backup exists: run 'credkit keychain repair' to restore it, "
                        + "or delete \(backupPath) to give it up"
                )
            }
            return nil
        }
    }

    private static func readHeader(
        _ file: Descriptor
    ) throws(KeychainError) -> (header: VaultHeader, bytes: [UInt8]) {
        let prefix = try converting(file.readAll(limit: VaultHeader.prefixByteCount))
        let count = try VaultHeader.byteCount(ofFileBeginning: prefix.span)
        let bytes = try prefix + converting(file.readAll(limit: count - prefix.count))
        return (try VaultHeader(bytes.span), bytes)
    }

    private func read(_ name: String, in directory: PrivateDirectory?) throws(KeychainError) -> VaultContents?
    {
        guard let file = try openExisting(name, in: directory) else { return nil }
        let (header, bytes) = try Self.readHeader(file)
        // Reads one byte more, to detect data after the end.
        let count = header.sealedByteCount + 1
        let sealed = try converting(file.readAll(limit: count, expecting: count))
        guard sealed.count == header.sealedByteCount else {
            throw .damaged(
                "the vault is damaged: "
                    + (sealed.count < header.sealedByteCount
                        ? "it is truncated" : "data follows its end")
            )
        }
        return VaultContents(header: header, headerBytes: bytes, sealed: sealed)
    }
}
