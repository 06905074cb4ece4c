// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// Allows one program of this account at a time to do something that a store cannot do in one step.
package struct ActivityLock: ~Copyable {
    /// What is locked, and how messages name it.
    package enum Activity: String {
        /// Moving items: two moves in opposite directions would each find the items in their target, and both would delete
        /// them.
        case move = "moving items"
        /// Changing the counter of one-time codes: two programs would print the same code.
        case counter = "changing a counter of one-time codes"

        fileprivate var fileName: String { self == .move ? "move.lock" : "counter.lock" }
    }

    private let descriptor: Descriptor?

    /// Waits until no other program does the same.
    ///
    /// - Parameters:
    ///   - activity: What is to be done.
    ///   - timeout: How long to wait.
    /// - Returns: The lock, which is held until it is released.
    /// - Throws: ``KeychainError/busy`` if another program has held it for that long, ``KeychainError/cancelled``.
    package static func acquire(
        _ activity: Activity,
        timeout: Duration
    ) async throws(KeychainError) -> ActivityLock {
        // Without a home directory there is no place for a lock, and no other program of this account looks for one.
        guard let state = try? UserDirectories.state() else { return ActivityLock(descriptor: nil) }
        let directory = try converting(PrivateDirectory(state + "/credkit", isCreated: true))
        let file = try converting(directory.open(activity.fileName, O_RDWR | O_CREAT, mode: 0o600))
        let end = ContinuousClock.now + timeout
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .system(errno, "cannot get the lock for \(activity.rawValue)")
            }
            guard .now < end else {
                throw .busy("another program is \(activity.rawValue); try again later")
            }
            do {
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                throw .cancelled
            }
        }
        return ActivityLock(descriptor: file)
    }

    /// Releases the lock.
    package consuming func release() {}
}
