// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// A vault's file on the disk, with its lock, its one backup and what a killed writer leaves behind.
struct VaultFile: Sendable {
    /// What becomes of the backup when the file is replaced.
    enum Backup {
        /// The file that is replaced becomes the backup.
        case previous
        /// The backup becomes the same as the new file: nothing that the old one had is kept.
        case same
    }

    /// The whole file as it was read.
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

        /// Whether the lock still is what others would lock: somebody may have removed the file.
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
        // Byte by byte: a slash before a combining character is no slash among Swift's characters.
        let utf8 = path.utf8
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), utf8.last != UInt8(ascii: "/"),
            utf8.first == UInt8(ascii: "/"), !utf8.contains(0)
        else {
            throw .invalid("\(path) is no path of a vault: it must be absolute and end in a file name")
        }
        self.path = path
        name = String(path[utf8.index(after: slash)...])
        directoryPath = slash == path.startIndex ? "/" : String(path[..<slash])
        guard name.utf8.count <= 200 else { throw .invalid("the vault's file name is too long") }
    }

    var backupPath: String { path + ".bak" }
    private var backupName: String { name + ".bak" }
    private var lockName: String { name + ".lock" }
    /// What the names of unfinished files begin and end with, and how many hexadecimal digits stand between.
    private var unfinished: (prefix: String, digitCount: Int, suffix: String) { (".\(name).", 16, ".tmp") }

    func directory(isCreated: Bool = false) throws(KeychainError) -> PrivateDirectory {
        try converting(PrivateDirectory(directoryPath, isCreated: isCreated))
    }

    // MARK: Reading

    /// The header alone; `nil` if there is no such file. The folder is opened unless it is open already.
    func readHeader(
        in directory: PrivateDirectory? = nil
    ) throws(KeychainError) -> (header: VaultHeader, bytes: [UInt8])? {
        guard let file = try openExisting(name, in: directory) else { return nil }
        return try Self.readHeader(file)
    }

    /// The whole file; `nil` if there is none. The folder is opened unless it is open already.
    func read(in directory: PrivateDirectory? = nil) throws(KeychainError) -> Contents? {
        try read(name, in: directory)
    }

    /// The whole backup; `nil` if there is none.
    func readBackup() throws(KeychainError) -> Contents? { try read(backupName, in: nil) }

    /// Whether there is a backup.
    var hasBackup: Bool { (try? directory())?.contains(backupName) ?? false }

    /// A file that is there; `nil` if it is not. A vault that is gone while its backup is there is no empty vault.
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
                    "the vault \(path) is gone, while its backup is there: 'credkit keychain repair' puts it back, and "
                        + "deleting \(backupPath) gives it up"
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
        // One byte more, to notice what stands behind the end.
        let count = header.sealedByteCount + 1
        let sealed = try converting(file.readAll(limit: count, expecting: count))
        guard sealed.count == header.sealedByteCount else {
            throw .damaged(
                "the vault is damaged: "
                    + (sealed.count < header.sealedByteCount
                        ? "it is cut short" : "something stands behind its end")
            )
        }
        return Contents(header: header, headerBytes: bytes, sealed: sealed)
    }

    // MARK: Writing

    /// Calls `body` while no other program changes the vault. Others are waited for as long as `patience`, or until nobody waits
    /// for this any more.
    func withLock<Value>(
        _ token: CallToken,
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
                // The file was removed while it was waited for.
                folder = try openLock(in: directory)
            } else if errno != EWOULDBLOCK && errno != EINTR {
                throw .system(errno, "cannot lock \(path)")
            }
            try token.check()
            guard .now < end else {
                throw .busy("another program has held the lock of \(path) for too long; try again later")
            }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
        // The lock goes with the descriptor.
        defer { withExtendedLifetime(folder.lock) {} }
        return try body(folder)
    }

    private func openLock(in directory: PrivateDirectory) throws(KeychainError) -> LockedFolder {
        let lock = try converting(directory.open(lockName, O_RDWR | O_CREAT, mode: 0o600))
        return LockedFolder(directory: directory, lock: lock, lockName: lockName)
    }

    /// Removes what a killed writer left, unless one is at work.
    func removeLeftovers() {
        guard let directory = try? directory(), let names = try? directory.names(),
            names.contains(where: isLeftover)
        else { return }
        withLockIfFree { removeLeftovers(in: directory) }
    }

    /// Calls `body` while no other program changes the vault, unless one does so now.
    func withLockIfFree(_ body: () -> Void) {
        guard let directory = try? directory(),
            let folder = try? openLock(in: directory), flock(folder.lock.number, LOCK_EX | LOCK_NB) == 0,
            folder.isHeld
        else { return }
        withExtendedLifetime(folder.lock) { body() }
    }

    /// Whether a file is an unfinished one of this vault, and not of one whose name begins with this one's.
    private func isLeftover(_ name: String) -> Bool {
        let (prefix, digitCount, suffix) = unfinished
        let (name, start) = (Array(name.utf8), Array(prefix.utf8))
        return name.count == start.count + digitCount + suffix.utf8.count && name.starts(with: start)
            && name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            && name[start.count..<start.count + digitCount].allSatisfy { $0 != UInt8(ascii: ".") }
    }

    /// Nobody else is writing: the lock is held.
    private func removeLeftovers(in directory: PrivateDirectory) {
        for name in (try? directory.names()) ?? [] where isLeftover(name) { directory.remove(name) }
    }

    private func unfinishedName() -> String {
        unfinished.prefix + Hex.encode(SecureRandom.bytes(count: unfinished.digitCount / 2))
            + unfinished.suffix
    }

    /// Puts a new file, given in parts, in the vault's place. When this returns, it will be found after a loss of power as
    /// well. The lock of the folder must be held.
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
                "\(path).lock was removed while the vault was changed, so that others may have changed it too; nothing "
                    + "was done, try again"
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

    /// Gives a file a second name, in place of what had it.
    private func link(
        _ source: String,
        to target: String,
        in directory: PrivateDirectory
    ) throws(KeychainError) {
        let doing = "cannot keep a backup of the vault \(path), which is as it was"
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
        // Of two names of one file, rename leaves both.
        directory.remove(linkName)
        guard errorNumber == 0 else { throw .system(errorNumber, doing) }
    }

    /// Gives the vault's file another name, for good.
    func setAside(in folder: LockedFolder) throws(KeychainError) -> String? {
        let directory = folder.directory
        guard directory.contains(name) else { return nil }
        let asideName = name + ".damaged-" + Hex.encode(SecureRandom.bytes(count: 4))
        let errorNumber = directory.rename(name, to: asideName)
        guard errorNumber == 0 else { throw .system(errorNumber, "cannot set \(path) aside") }
        return directory.path + "/" + asideName
    }
}
