// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

// One writer at a time.
extension VaultFile {
    /// The vault's folder while the lock is held.
    struct LockedFolder {
        let directory: PrivateDirectory
        fileprivate let lock: Descriptor
        fileprivate let lockName: String

        /// Whether the lock file is still the one that other programs would lock: it may have been removed.
        var isHeld: Bool {
            guard let status = try? lock.status(), let named = directory.status(of: lockName) else {
                return false
            }
            return status.st_ino == named.st_ino && status.st_dev == named.st_dev
        }
    }

    /// Calls `body` while no other program can change the vault. Waits for the lock as long as the caller waits: that
    /// is `PromptPolicy.vaultTimeout`, 30 seconds by default.
    func withLock<Value>(
        _ token: CancellationToken,
        isCreated: Bool,
        _ body: (LockedFolder) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let directory = try directory(isCreated: isCreated)
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
            do throws(KeychainError) {
                try token.check()
            } catch {
                guard error == .timedOut else { throw error }
                throw .busy(
                    "cannot lock \(path): other programs have held the lock for too long; try again later"
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

    /// Calls `body` while no other program can change the vault, unless one is changing it now.
    func withLockIfFree(_ body: () -> Void) {
        guard let directory = try? directory(),
            let folder = try? openLock(in: directory), flock(folder.lock.number, LOCK_EX | LOCK_NB) == 0,
            folder.isHeld
        else { return }
        withExtendedLifetime(folder.lock) { body() }
    }
}
