// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// Allows one move at a time for this account.
///
/// Two moves in opposite directions would each find the items in their target, and both would delete them.
struct MoveLock: ~Copyable {
    private let descriptor: Descriptor?

    /// Waits until no other program moves items.
    ///
    /// - Parameter timeout: How long to wait.
    /// - Returns: The lock, which is held until it is released.
    /// - Throws: ``KeychainError/busy`` if another program has moved items for that long, ``KeychainError/cancelled``.
    static func acquire(timeout: Duration) async throws(KeychainError) -> MoveLock {
        // Without a home directory there is no place for a lock, and no other program of this account looks for one.
        guard let state = try? UserDirectories.state() else { return MoveLock(descriptor: nil) }
        let directory = try converting(PrivateDirectory(state + "/credkit", isCreated: true))
        let file = try converting(directory.open("move.lock", O_RDWR | O_CREAT, mode: 0o600))
        let end = ContinuousClock.now + timeout
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(errno, "cannot lock the move") }
            guard .now < end else { throw .busy("another program is moving items; try again later") }
            do {
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                throw .cancelled
            }
        }
        return MoveLock(descriptor: file)
    }

    /// Releases the lock.
    consuming func release() {}
}
