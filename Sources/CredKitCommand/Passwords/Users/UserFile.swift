// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTerminal
import Glibc

/// A file of users. It has its previous content or all of the new one, and programs change it one after the other.
struct UserFile {
    let name: FileArgument

    /// Reads the users. Others must not be able to change the file: it decides whose password matches.
    func read() throws -> UserTable {
        var bytes: [UInt8] = []
        do {
            let input = try InputFile(name)
            try input.refuseIfOthersCanChange()
            try input.forEachChunk { chunk in
                guard bytes.count + chunk.count <= UserTable.maximumByteCount else { throw tooLarge }
                for index in chunk.indices { bytes.append(chunk[index]) }
            }
        } catch let error as FileError {
            throw CommandFailure(.inputOutput, "\(name.quotedForMessage): \(error.message)")
        }
        return try UserTable(bytes, named: name.quotedForMessage)
    }

    /// Reads the users of a file that is to be changed.
    ///
    /// - Parameter user: The name of the user whose entries are to be replaced or removed, and may be unreadable.
    /// - Returns: The users; `nil` if there is no file.
    /// - Throws: ``CommandFailure``.
    func current(changing user: [UInt8]) throws -> UserTable? {
        try open().map { try table($0, changing: user) }
    }

    /// Creates a file without users, unless there is one. Only this user can read it.
    ///
    /// - Returns: Whether there was none.
    func create() throws -> Bool {
        guard try open() == nil else { return false }
        do {
            try NewSecretFile.write([], to: name)
            return true
        } catch {
            // Another program may have created it.
            guard try open() != nil else { throw error }
            return false
        }
    }

    /// Changes the entries of a user while no other program changes the file.
    ///
    /// - Parameters:
    ///   - user: The name of the user, whose entries may be unreadable.
    ///   - timeout: How long to wait for other programs.
    ///   - body: Changes the users; returns whether it has.
    /// - Throws: ``CommandFailure``; with ``ExitStatus/tryAgain`` if another program has the file for that long.
    func change(_ user: [UInt8], timeout: Duration, _ body: (inout UserTable) throws -> Bool) throws {
        let file = try locked(timeout)
        // Closing the descriptor releases the lock.
        defer { withExtendedLifetime(file) {} }
        var table = try table(file, changing: user)
        guard try body(&table) else { return }
        let output = try OutputFile(name, mode: 0o600)
        try output.write(table.bytes)
        try output.commit()
        try reportLostAccess(file)
    }

    /// The failure if there is no file.
    var missing: CommandFailure {
        CommandFailure(.inputOutput, "\(name.quoted): \(SystemError.message(of: ENOENT))")
    }

    private var tooLarge: CommandFailure {
        CommandFailure(.malformed, "\(name.quoted): more than \(UserTable.maximumByteCount) bytes")
    }

    private func table(_ file: Descriptor, changing user: [UInt8]) throws -> UserTable {
        // As `read` does: what no one may log in with is not to be kept up either.
        try InputFile.refuseIfOthersCanChange(file.number, name)
        let limit = UserTable.maximumByteCount + 1
        let bytes = try reporting { () throws(SystemError) in
            try file.readAll(limit: limit, expecting: limit)
        }
        guard bytes.count < limit else { throw tooLarge }
        return try UserTable(bytes, named: name.quoted, changing: user)
    }

    /// Opens the file itself, behind links; `nil` if there is none.
    private func open() throws -> Descriptor? {
        let place: OutputPath
        do throws(SystemError) {
            place = try OutputPath(name.bytes, name.quoted)
        } catch {
            throw CommandFailure(.init(creating: error), error.description)
        }
        guard !place.isDirect else {
            throw CommandFailure(.malformed, "\(name.quoted): it is no ordinary file")
        }
        guard place.isFile else { return nil }
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let number = openat(place.folder.number, place.name, flags)
        guard number < 0 else { return Descriptor(number) }
        guard errno == ENOENT else {
            throw CommandFailure(.inputOutput, "\(name.quoted): \(SystemError.message(of: errno))")
        }
        return nil
    }

    /// Opens the file, and waits until this program alone has locked it.
    private func locked(_ timeout: Duration) throws -> Descriptor {
        let end = ContinuousClock.now + timeout
        var pause: UInt32 = 500
        while let file = try open() {
            if flock(file.number, LOCK_EX | LOCK_NB) == 0 {
                // Another program may have replaced the file while this one waited. The lock was of the old one then.
                if try isCurrent(file) { return file }
                continue
            }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw CommandFailure(.inputOutput, "\(name.quoted): \(SystemError.message(of: errno))")
            }
            guard .now < end else {
                throw CommandFailure(
                    .tryAgain,
                    "\(name.quoted): other programs have locked it for too long; try again later"
                )
            }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
        throw missing
    }

    private func isCurrent(_ file: Descriptor) throws -> Bool {
        guard let named = try open() else { return false }
        let (old, new) = try reporting { () throws(SystemError) in
            (try file.status(), try named.status())
        }
        return old.st_dev == new.st_dev && old.st_ino == new.st_ino
    }

    /// Says if the new file could not get the permissions of the old one: a web server may be unable to read it.
    private func reportLostAccess(_ replaced: Descriptor) throws {
        guard let named = try open() else { return }
        let (old, new) = try reporting { () throws(SystemError) in
            (try replaced.status(), try named.status())
        }
        guard old.st_gid != new.st_gid || old.st_mode != new.st_mode else { return }
        StandardStreams.report(
            "\(name.quoted): its group and permissions could not be kept, since this user is not a member of the group; "
                + "other programs may be unable to read it"
        )
    }

    private func reporting<Value>(_ body: () throws(SystemError) -> Value) throws -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw CommandFailure(.inputOutput, "\(name.quoted): \(error.description)")
        }
    }
}
