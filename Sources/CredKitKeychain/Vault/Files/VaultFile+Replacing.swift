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

    /// The lock must be held, so that no other program is writing.
    private func removeLeftovers(in directory: PrivateDirectory) {
        for name in (try? directory.names()) ?? [] where isLeftover(name) { directory.remove(name) }
    }

    private func unfinishedName() -> String {
        unfinished.prefix + Hex.encode(SecureRandom.bytes(count: unfinished.digitCount / 2))
            + unfinished.suffix
    }
}
