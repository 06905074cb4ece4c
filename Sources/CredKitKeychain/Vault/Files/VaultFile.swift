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

    /// Opens the file and reads its header alone; returns `nil` if there is no file. Opens the folder unless it is
    /// passed. Returns `seen` instead if that is still the file and was not changed since it was opened.
    func readHeader(
        in directory: PrivateDirectory? = nil,
        after seen: Opened? = nil
    ) throws(KeychainError) -> Opened? {
        guard let file = try openExisting(name, in: directory) else { return nil }
        let found = try Opened(file)
        // The header of each save differs. On its own it does not show that the rest was not damaged meanwhile.
        if let seen, seen.bytes == found.bytes, seen.isUnchanged(found) { return seen }
        return found
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
        return (try? Opened(backup))?.header
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
                    "the vault \(path) is missing, but its backup exists: run 'credkit keychain doctor --repair' to "
                        + "restore it, or delete \(backupPath) to give it up"
                )
            }
            return nil
        }
    }

    private func read(_ name: String, in directory: PrivateDirectory?) throws(KeychainError) -> VaultContents?
    {
        guard let file = try openExisting(name, in: directory) else { return nil }
        return try Opened(file).contents()
    }
}

extension VaultFile {
    /// A file that is held open, and its header.
    struct Opened {
        let header: VaultHeader
        /// The header as stored in the file.
        let bytes: [UInt8]
        /// Read up to the end of the header; while it is open, no other file can get the number of this one.
        let file: Descriptor
        /// The status before anything was read; `nil` if there was none to be had.
        private let status: stat?

        fileprivate init(_ file: Descriptor) throws(KeychainError) {
            let status = try? file.status()
            let prefix = try converting(file.readAll(limit: VaultHeader.prefixByteCount))
            let count = try VaultHeader.byteCount(ofFileBeginning: prefix.span)
            let bytes = try prefix + converting(file.readAll(limit: count - prefix.count))
            header = try VaultHeader(bytes.span)
            self.bytes = bytes
            self.file = file
            self.status = status
        }

        /// Reads the rest of the file. It can be read once.
        func contents() throws(KeychainError) -> VaultContents {
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

        /// Returns whether a file is this one and was not changed, as far as the system can tell: writers of vaults replace
        /// the file, and every other change sets a time that only the system can set.
        fileprivate func isUnchanged(_ other: Opened) -> Bool {
            guard let old = status, let new = other.status else { return false }
            let isSame =
                (old.st_dev, old.st_ino, old.st_size) == (new.st_dev, new.st_ino, new.st_size)
            let (oldTimes, newTimes) = ([old.st_mtim, old.st_ctim], [new.st_mtim, new.st_ctim])
            return isSame && oldTimes.map(\.tv_sec) == newTimes.map(\.tv_sec)
                && oldTimes.map(\.tv_nsec) == newTimes.map(\.tv_nsec)
        }
    }
}
