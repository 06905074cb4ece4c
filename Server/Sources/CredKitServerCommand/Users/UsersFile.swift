// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal
import Glibc

/// The users file as the server writes it, one program after the other: `credkit users` and flock(1) lock it in the same way.
struct UsersFile: Sendable {
    /// How long to wait for other programs that have locked the file.
    private static let timeout = Duration.seconds(2)
    /// The time from one attempt to lock it to the next, in microseconds.
    private static let pause: UInt32 = 5000

    let name: FileArgument

    /// Throws if the server could not replace the file.
    func checkPlace() throws(CommandFailure) {
        do throws(CommandFailure) {
            // It has no name, and is gone at once.
            _ = try OutputFile(name, mode: 0o600)
        } catch {
            throw CommandFailure(
                error.status,
                "--replace-hashes requires a file of the server's user, in a folder that it can write: "
                    + (error.message ?? "\(error)")
            )
        }
    }

    /// Replaces a credential in the file, which has its previous content or all of the new one. Blocks.
    ///
    /// - Parameters:
    ///   - credential: The credential that was verified.
    ///   - newer: What to write in its place.
    ///   - user: The name of the user. Its first line counts.
    /// - Returns: Whether the file still had the credential. What was changed there stays.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written.
    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofUserNamed user: String
    ) throws(CommandFailure) -> Bool {
        let end = ContinuousClock.now + Self.timeout
        while true {
            let lock = try locked(until: end)
            // This releases the lock.
            defer { close(lock) }
            let bytes = try ServerFile.read(name, upTo: ServerUsers.maximumByteCount)
            guard let changed = Self.replace(credential, with: newer, of: user, in: bytes) else {
                return false
            }
            let output = try OutputFile(name, mode: 0o600)
            try output.write(changed)
            // A program that does not lock the file may have replaced it.
            guard isCurrent(lock) else { continue }
            try output.commit()
            return true
        }
    }

    /// Returns the content of a file with another credential of a user; `nil` if the file has another one by now.
    static func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        of user: String,
        in bytes: [UInt8]
    ) -> [UInt8]? {
        let lineFeed = UInt8(ascii: "\n")
        var lines = bytes.split(separator: lineFeed, omittingEmptySubsequences: false)
        let beginning = Array(user.utf8) + [UInt8(ascii: ":")]
        guard let index = lines.firstIndex(where: { $0.starts(with: beginning) }) else { return nil }
        let rest = lines[index].dropFirst(beginning.count)
        let record = rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest
        guard let text = String(validating: record, as: UTF8.self),
            (try? StoredCredential(text)) == credential
        else { return nil }
        let end = rest.dropFirst(record.count)
        lines[index] = (beginning + Array(newer.text.utf8) + Array(end))[...]
        return Array(lines.joined(separator: [lineFeed]))
    }

    /// Opens the file, and waits until this program alone has locked it.
    private func locked(until end: ContinuousClock.Instant) throws(CommandFailure) -> Int32 {
        while true {
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else { throw failure(.inputOutput, String(cString: strerror(errno))) }
            if flock(file, LOCK_EX | LOCK_NB) == 0 {
                // Another program may have replaced the file. The lock was of the old one then.
                if isCurrent(file) { return file }
            } else if errno != EWOULDBLOCK && errno != EINTR {
                let reason = String(cString: strerror(errno))
                close(file)
                throw failure(.inputOutput, reason)
            }
            close(file)
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
