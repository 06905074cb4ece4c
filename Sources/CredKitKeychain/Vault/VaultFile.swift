// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// A vault's file on the disk, with its lock, its backup and the unfinished files of killed writers.
struct VaultFile: Sendable {
    /// The handling of the backup when the file is replaced.
    enum Backup {
        /// The replaced file becomes the backup.
        case previous
        /// The backup becomes equal to the new file, so that nothing of the old file remains.
        case same
    }

    /// The parsed parts of a whole file.
    struct Contents {
        let header: VaultHeader
        let headerBytes: [UInt8]
        let sealed: [UInt8]
    }

    /// The vault's folder while the lock is held.
    struct LockedFolder {
        let directory: PrivateDirectory
        fileprivate let lock: Descriptor
        fileprivate let lockName: String

        /// Whether the lock file is still the one that other programs would lock: it may have been removed.
        fileprivate var isHeld: Bool {
            guard let status = try? lock.status(), let named = directory.status(of: lockName) else {
                return false
            }
            return status.st_ino == named.st_ino && status.st_dev == named.st_dev
        }
    }

    let path: String
    private let directoryPath: String
    private let name: String

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
    private var backupName: String { name + ".bak" }
    private var lockName: String { name + ".lock" }
    /// The prefix and the suffix of the names of unfinished files, and the number of hexadecimal digits between them.
    private var unfinished: (prefix: String, digitCount: Int, suffix: String) { (".\(name).", 16, ".tmp") }

    func directory(isCreated: Bool = false) throws(KeychainError) -> PrivateDirectory {
        try converting(PrivateDirectory(directoryPath, isCreated: isCreated))
    }

    // MARK: Reading

    /// Reads the header alone; returns `nil` if there is no file. Opens the folder unless it is passed.
    func readHeader(
        in directory: PrivateDirectory? = nil
    ) throws(KeychainError) -> (header: VaultHeader, bytes: [UInt8])? {
        guard let file = try openExisting(name, in: directory) else { return nil }
        return try Self.readHeader(file)
    }

    /// Reads the whole file; returns `nil` if there is none. Opens the folder unless it is passed.
    func read(in directory: PrivateDirectory? = nil) throws(KeychainError) -> Contents? {
        try read(name, in: directory)
    }

    /// Reads the whole backup; returns `nil` if there is none.
    func readBackup() throws(KeychainError) -> Contents? { try read(backupName, in: nil) }

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

    private func read(_ name: String, in directory: PrivateDirectory?) throws(KeychainError) -> Contents? {
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
        return Contents(header: header, headerBytes: bytes, sealed: sealed)
    }

    // MARK: Writing

    /// Calls `body` while no other program can change the vault. Waits for the lock at most `patience`, and only while
    /// the caller waits.
    func withLock<Value>(
        _ token: CancellationToken,
        patience: Duration,
        isCreated: Bool,
        _ body: (LockedFolder) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let directory = try directory(isCreated: isCreated)
        let end = ContinuousClock.Instant.now + patience
        var pause: UInt32 = 500
        var folder = try openLock(in: directory)
        while true {
            if flock(folder.lock.number, LOCK_EX | LOCK_NB) == 0 {
                if folder.isHeld { break }
                // The file was removed while this waited for its lock.
                folder = try openLock(in: directory)
            } else if errno != EWOULDBLOCK && errno != EINTR {
                throw .system(errno, "cannot lock \(path)")
            }
            try token.check()
            guard .now < end else {
                throw .busy(
                    "cannot lock \(path): another program has held the lock for too long; try again later"
                )
            }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
        // Closing the descriptor releases the lock.
        defer { withExtendedLifetime(folder.lock) {} }
        return try body(folder)
    }

    private func openLock(in directory: PrivateDirectory) throws(KeychainError) -> LockedFolder {
        let lock = try converting(directory.open(lockName, O_RDWR | O_CREAT, mode: 0o600))
        return LockedFolder(directory: directory, lock: lock, lockName: lockName)
    }

    /// Removes the unfinished files of killed writers, unless a writer is active.
    func removeLeftovers() {
        guard let directory = try? directory(), let names = try? directory.names(),
            names.contains(where: isLeftover)
        else { return }
        withLockIfFree { removeLeftovers(in: directory) }
    }

    /// Calls `body` while no other program can change the vault, unless one is changing it now.
    func withLockIfFree(_ body: () -> Void) {
        guard let directory = try? directory(),
            let folder = try? openLock(in: directory), flock(folder.lock.number, LOCK_EX | LOCK_NB) == 0,
            folder.isHeld
        else { return }
        withExtendedLifetime(folder.lock) { body() }
    }

    /// Returns whether a file is an unfinished file of this vault, not of a vault whose name begins with the same text.
    private func isLeftover(_ name: String) -> Bool {
        let (prefix, digitCount, suffix) = unfinished
        let (name, start) = (Array(name.utf8), Array(prefix.utf8))
        return name.count == start.count + digitCount + suffix.utf8.count && name.starts(with: start)
            && name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            && name[start.count..<start.count + digitCount].allSatisfy { $0 != UInt8(ascii: ".") }
    }

    /// The lock must be held, so that no other program is writing.
    private func removeLeftovers(in directory: PrivateDirectory) {
        for name in (try? directory.names()) ?? [] where isLeftover(name) { directory.remove(name) }
    }

    private func unfinishedName() -> String {
        unfinished.prefix + Hex.encode(SecureRandom.bytes(count: unfinished.digitCount / 2))
            + unfinished.suffix
    }

    /// Replaces the vault's file by a new one, given in parts. The new file survives a power loss once this returns.
    /// The lock of the folder must be held.
    func replace(
        with parts: [[UInt8]],
        backup: Backup,
        in folder: LockedFolder
    ) throws(KeychainError) {
        let directory = folder.directory
        let newName = unfinishedName()
        var file = try write(parts, to: newName, in: directory)
        guard folder.isHeld else {
            throw .busy(
                "\(path).lock was removed during the change, so that other programs may have changed the vault; "
                    + "nothing was changed, try again"
            )
        }
        if case .previous = backup, directory.contains(name) { try link(name, to: backupName, in: directory) }
        if case .same = backup { try link(newName, to: backupName, in: directory) }
        do throws(SystemError) {
            try file.commit(as: name, "cannot put the new vault in the place of \(path)")
        } catch {
            throw KeychainError(error)
        }
    }

    private func write(
        _ parts: [[UInt8]],
        to newName: String,
        in directory: PrivateDirectory
    ) throws(KeychainError) -> AtomicFile {
        do throws(SystemError) {
            let file = try AtomicFile(
                in: directory,
                temporaryName: newName,
                "cannot write the vault \(path), which is as it was"
            )
            for part in parts { try file.write(part) }
            try file.synchronize()
            return file
        } catch {
            throw KeychainError(error)
        }
    }

    /// Adds a second name to a file, and replaces an existing file of that name.
    private func link(
        _ source: String,
        to target: String,
        in directory: PrivateDirectory
    ) throws(KeychainError) {
        let doing = "cannot back up the vault \(path), which is unchanged"
        let linkName = unfinishedName()
        let linkError = directory.link(source, to: linkName)
        if linkError != 0 {
            // Not every file system has hard links.
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(linkError) else {
                throw .system(linkError, doing)
            }
            let bytes = try converting(
                directory.open(source, O_RDONLY).readAll(limit: VaultLimits.fileByteCount)
            )
            var copy = try write([bytes], to: linkName, in: directory)
            do throws(SystemError) {
                try copy.commit(as: target, doing)
                return
            } catch {
                throw KeychainError(error)
            }
        }
        let errorNumber = directory.rename(linkName, to: target)
        // rename(2) keeps both names if they are links to the same file.
        directory.remove(linkName)
        guard errorNumber == 0 else { throw .system(errorNumber, doing) }
    }

    /// Renames the vault's file permanently, and returns its new path.
    func setAside(in folder: LockedFolder) throws(KeychainError) -> String? {
        let directory = folder.directory
        guard directory.contains(name) else { return nil }
        let asideName = name + ".damaged-" + Hex.encode(SecureRandom.bytes(count: 4))
        let errorNumber = directory.rename(name, to: asideName)
        guard errorNumber == 0 else { throw .system(errorNumber, "cannot rename the damaged file \(path)") }
        return directory.path + "/" + asideName
    }
}
