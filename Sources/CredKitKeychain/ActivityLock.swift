// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

/// Allows one program of this account at a time to do something that a store cannot do in one step.
package struct ActivityLock: ~Copyable {
    /// What is locked, and how messages name it.
    package enum Activity {
        /// Moving items: two moves in opposite directions would each find the items in their target, and both would delete
        /// them.
        case move
        /// Changing the counter of one-time codes: two programs would print the same code.
        case counter
        /// Storing items that may exist already: of two programs that find none, the second would replace that of the first.
        case storing
        /// Renewing a login: two programs would log in, or use the same secret although it is replaced at each use.
        case renewal(service: String, account: String)

        fileprivate var fileName: String {
            switch self {
            case .move: "move.lock"
            case .counter: "counter.lock"
            case .storing: "storing.lock"
            case .renewal(let service, let account):
                // Several files, because a server that hangs should not block the logins to all others; and few, because
                // they stay, and must not tell where the account was logged in.
                "renewal-\(SHA256.hash(data: Array("\(service.utf8.count) \(service) \(account)".utf8)).hex.prefix(1)).lock"
            }
        }

        fileprivate var text: String {
            switch self {
            case .move: "moving items"
            case .counter: "changing a counter of one-time codes"
            case .storing: "storing items"
            case .renewal: "renewing this login"
            }
        }
    }

    private let descriptor: Descriptor?

    /// Waits until no other program does the same.
    ///
    /// - Parameters:
    ///   - activity: What is to be done.
    ///   - folder: The folder of the lock's file; that of this account if `nil`.
    ///   - timeout: How long to wait.
    /// - Returns: The lock, which is held until it is released.
    /// - Throws: ``KeychainError/busy`` if another program has held it for that long, ``KeychainError/cancelled``.
    package static func acquire(
        _ activity: Activity,
        in folder: String? = nil,
        timeout: Duration
    ) async throws(KeychainError) -> ActivityLock {
        // Without a home directory there is no place for a lock, and no other program of this account looks for one.
        guard let folder = folder ?? (try? UserDirectories.state() + "/credkit") else {
            return ActivityLock(descriptor: nil)
        }
        let directory = try converting(PrivateDirectory(folder, isCreated: true))
        let file = try converting(directory.open(activity.fileName, O_RDWR | O_CREAT, mode: 0o600))
        let end = ContinuousClock.now + timeout
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .system(errno, "cannot get the lock for \(activity.text)")
            }
            guard .now < end else {
                throw .busy(
                    "another program is \(activity.text), and holds the lock \(folder)/\(activity.fileName): try again when it "
                        + "has ended"
                )
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
