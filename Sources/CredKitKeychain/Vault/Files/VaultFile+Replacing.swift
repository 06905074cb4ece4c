// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

// Replacing the file, its backup, and the unfinished files of killed writers.
extension VaultFile {
    /// The handling of the backup when the file is replaced.
    enum Backup {
        /// The replaced file becomes the backup.
        case previous
        /// The backup becomes equal to the new file, so that nothing of the old file remains.
        case same
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
        switch backup {
        // Written anew: a link would share its blocks on the disk with the vault, and be damaged with it.
        case .same: try write(parts, as: backupName, in: directory)
        case .previous where directory.contains(name): try link(name, to: backupName, in: directory)
        case .previous: break
        }
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
        let linkName = unfinishedName()
        let linkError = directory.link(source, to: linkName)
        if linkError != 0 {
            // Not every file system has hard links.
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(linkError) else {
                throw .system(linkError, failedBackup)
            }
            let bytes = try converting(
                directory.open(source, O_RDONLY).readAll(limit: VaultLimits.fileByteCount)
            )
            return try write([bytes], as: target, in: directory)
        }
        let errorNumber = directory.rename(linkName, to: target)
        // rename(2) keeps both names if they are links to the same file.
        directory.remove(linkName)
        guard errorNumber == 0 else { throw .system(errorNumber, failedBackup) }
    }

    private func write(
        _ parts: [[UInt8]],
        as target: String,
        in directory: PrivateDirectory
    ) throws(KeychainError) {
        var copy = try write(parts, to: unfinishedName(), in: directory)
        do throws(SystemError) {
            try copy.commit(as: target, failedBackup)
        } catch {
            throw KeychainError(error)
        }
    }

    private var failedBackup: String { "cannot back up the vault \(path), which is unchanged" }

    /// Gives the vault's damaged file a second, permanent name before it is replaced, and returns the new path; `nil` if
    /// there is no file.
    func keepDamagedVault(in folder: LockedFolder) throws(KeychainError) -> String? {
        try keep(name, in: folder.directory, as: "damaged")
    }

    /// The same for the backup, with a word for the new name.
    func keepBackup(in folder: LockedFolder, as word: String) throws(KeychainError) -> String? {
        try keep(backupName, in: folder.directory, as: word)
    }

    private func keep(
        _ replaced: String,
        in directory: PrivateDirectory,
        as word: String
    ) throws(KeychainError) -> String? {
        guard directory.contains(replaced) else { return nil }
        let keptName = name + ".\(word)-" + Hex.encode(SecureRandom.bytes(count: 4))
        // The first name stays until the file is replaced: a vault must not seem to be missing in between.
        try link(replaced, to: keptName, in: directory)
        return directory.path + "/" + keptName
    }

    /// Removes the second name of a file that was not replaced after all.
    func removeKept(_ path: String, in folder: LockedFolder) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        folder.directory.remove(String(path[path.utf8.index(after: slash)...]))
    }

    /// Writes a backup.
    func writeBackup(_ contents: VaultContents, in folder: LockedFolder) throws(KeychainError) {
        try write([contents.headerBytes, contents.sealed], as: backupName, in: folder.directory)
    }
}

// Unfinished files.
extension VaultFile {
    /// Removes the unfinished files of killed writers, unless a writer is active.
    func removeLeftovers() {
        guard let directory = try? directory(), let names = try? directory.names(),
            names.contains(where: isLeftover)
        else { return }
        withLockIfFree { removeLeftovers(in: directory) }
    }

    /// Returns whether a file is an unfinished file of this vault, not of a vault whose name begins with the same text.
    private func isLeftover(_ name: String) -> Bool {
        let (prefix, digitCount, suffix) = unfinished
        let (name, start) = (Array(name.utf8), Array(prefix.utf8))
        return name.count == start.count + digitCount + suffix.utf8.count && name.starts(with: start)
            && name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            && name[start.count..<start.count + digitCount].allSatisfy { $0 != UInt8(ascii: ".") }
    }

    /// Removes the unfinished files of killed writers.
    func removeLeftovers(in folder: LockedFolder) { removeLeftovers(in: folder.directory) }

    /// The lock must be held, so that no other program is writing.
    private func removeLeftovers(in directory: PrivateDirectory) {
        for name in (try? directory.names()) ?? [] where isLeftover(name) { directory.remove(name) }
    }

    private func unfinishedName() -> String {
        unfinished.prefix + Hex.encode(SecureRandom.bytes(count: unfinished.digitCount / 2))
            + unfinished.suffix
    }
}
