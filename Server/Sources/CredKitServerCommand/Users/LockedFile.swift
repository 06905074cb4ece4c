// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Glibc

/// A file that programs change one after the other: `credkit users` and flock(1) lock it in the same way. It has its previous
/// content or all of the new one.
struct LockedFile: Sendable {
    /// How long to wait for other programs that have locked the file.
    private static let timeout = Duration.seconds(2)
    /// The time from one attempt to lock it to the next, in microseconds.
    private static let pause: UInt32 = 5000

    let name: FileArgument

    /// Whether there is a file of the name.
    var exists: Bool { ServerMocks.exists(name) }

    /// Throws if the file could not be replaced.
    func checkPlace() throws(CommandFailure) {
        var status = stat()
        if stat(path, &status) == 0, status.st_uid != geteuid() {
            throw failure(
                .cannotCreate,
                "it belongs to the user with the number \(status.st_uid): run the server and its commands as this user"
            )
        }
        // It has no name, and is gone at once.
        _ = try OutputFile(name, mode: 0o600)
    }

    /// Changes the file while no other program does. Blocks.
    ///
    /// - Parameters:
    ///   - isCreated: Whether to create the file if there is none. Only this user can read it then.
    ///   - body: Returns the new content for the present one; `nil` to change nothing.
    /// - Returns: Whether the file was changed.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written, or what the body throws.
    func change(
        creating isCreated: Bool = false,
        _ body: ([UInt8]) throws(CommandFailure) -> [UInt8]?
    ) throws(CommandFailure) -> Bool {
        let end = ContinuousClock.now + Self.timeout
        while true {
            let lock = try locked(until: end, creating: isCreated)
            // This releases the lock.
            defer { close(lock) }
            guard let changed = try body(try read()) else { return false }
            let output = try OutputFile(name, mode: 0o600)
            try output.write(changed)
            // A program that does not lock the file may have replaced it.
            guard isCurrent(lock) else { continue }
            try output.commit()
            return true
        }
    }

    /// Returns the content.
    func read() throws(CommandFailure) -> [UInt8] {
        try ServerFile.read(name, upTo: ServerUsers.maximumByteCount)
    }

    /// Opens the file, and waits until this program alone has locked it.
    private func locked(until end: ContinuousClock.Instant, creating isCreated: Bool) throws(CommandFailure)
        -> Int32
    {
        while true {
            var file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            if file < 0, errno == ENOENT, isCreated {
                file = open(path, O_RDONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0o600)
            }
            if file < 0 {
                // Another program may have created it.
                guard isCreated, errno == EEXIST else {
                    throw failure(.inputOutput, String(cString: strerror(errno)))
                }
            } else if flock(file, LOCK_EX | LOCK_NB) == 0 {
                // Another program may have replaced the file. The lock was of the old one then.
                if isCurrent(file) { return file }
            } else if errno != EWOULDBLOCK && errno != EINTR {
                let reason = String(cString: strerror(errno))
                close(file)
                throw failure(.inputOutput, reason)
            }
            if file >= 0 { close(file) }
            guard .now < end else {
                throw failure(.tryAgain, "other programs have locked it for too long")
            }
            usleep(Self.pause)
        }
    }

    /// Whether an open file is the one that has the name.
    private func isCurrent(_ file: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(file, &opened) == 0, stat(path, &named) == 0 else { return false }
        return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }

    private var path: [CChar] { name.bytes.map { CChar(bitPattern: $0) } + [0] }

    private func failure(_ status: ExitStatus, _ reason: String) -> CommandFailure {
        CommandFailure(status, "\(name.quotedForMessage): \(reason)")
    }
}
