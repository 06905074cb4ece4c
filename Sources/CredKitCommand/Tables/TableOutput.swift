// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// The table that is being written. Until it is complete, its name is `OUTPUT.partial`, and `OUTPUT.partial.note` tells of which
/// input it is.
struct TableOutput {
    let partial: FileArgument
    private let output: FileArgument
    private let note: FileArgument
    private let place: OutputPath
    private let file: Descriptor

    var descriptor: Int32 { file.number }

    /// Opens the output. Its name must not exist yet. The partial table must exist when resuming, and must not exist
    /// otherwise. `canResume` says whether messages may advise to resume a run.
    init(_ output: FileArgument, isResuming: Bool, canResume: Bool = true) throws {
        self.output = output
        partial = FileArgument(bytes: output.bytes + Array(".partial".utf8))
        note = FileArgument(bytes: partial.bytes + Array(".note".utf8))
        do throws(SystemError) {
            place = try OutputPath(newFileAt: output.bytes, output.quoted)
        } catch {
            throw CommandFailure(.init(creating: error), error.description)
        }
        var status = stat()
        guard fstatat(place.folder.number, place.name, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
            throw CommandFailure(
                .cannotCreate,
                "\(output.quoted): already exists, and is not overwritten"
            )
        }
        // Do not follow a link: in a shared folder it could point to any file.
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (isResuming ? 0 : O_CREAT | O_EXCL)
        let number = openat(place.folder.number, Self.name(partial), flags, 0o600)
        guard number < 0 else {
            file = Descriptor(number)
            return
        }
        let reason: String
        switch errno {
        case EEXIST where canResume:
            reason = "an earlier run was interrupted; continue it with --resume, or remove the file"
        case EEXIST:
            reason = "an earlier run was interrupted; remove the file, unless that run is to be resumed"
        case ENOENT where isResuming: reason = "there is nothing to resume; run the command without --resume"
        default: reason = SystemError.message(of: errno)
        }
        throw CommandFailure(.cannotCreate, "\(partial.quoted): \(reason)")
    }

    /// Locks the table, so that two runs cannot write it at the same time.
    func lock() throws {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(.tryAgain, "\(partial.quoted): another run is writing it")
        }
        // Between opening and locking, another run may have finished: the open file is then the complete table.
        var opened = stat()
        var named = stat()
        guard fstat(descriptor, &opened) == 0,
            fstatat(place.folder.number, Self.name(partial), &named, AT_SYMLINK_NOFOLLOW) == 0,
            opened.st_dev == named.st_dev, opened.st_ino == named.st_ino
        else {
            throw CommandFailure(.tryAgain, "\(partial.quoted): another run has finished it")
        }
        // The hashes in it are taken over, so they must be those that an earlier run wrote.
        try Self.checkOwner(opened, partial)
    }

    /// Refuses a file that others can change: what a run takes over of it cannot be checked without the passwords.
    static func checkOwner(_ status: stat, _ file: FileArgument) throws {
        guard status.st_nlink == 1, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & (S_IWGRP | S_IWOTH) == 0
        else {
            throw CommandFailure(
                .refused,
                "\(file.quoted): it is not a file of this user alone: another user owns it or can write to it, or it "
                    + "has another name"
            )
        }
    }

    /// Whether nothing is written yet: a run that was killed as early may have left no note, or an empty one.
    func isEmpty() throws -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        return status.st_size == 0
    }

    // MARK: The note

    /// Creates the note, in place of one that an earlier run left behind without a table.
    func makeNote() throws -> TableOutputNote {
        remove(note)
        return TableOutputNote(try openNote(O_CREAT | O_EXCL), name: note.quoted)
    }

    /// Opens the note of the run that was interrupted.
    func openNote() throws -> TableOutputNote {
        TableOutputNote(try openNote(0), name: note.quoted)
    }

    private func openNote(_ flags: Int32) throws -> Descriptor {
        let number = openat(
            place.folder.number,
            Self.name(note),
            flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
            0o600
        )
        guard number >= 0 else {
            throw CommandFailure(
                .cannotCreate,
                errno == ENOENT
                    ? "\(note.quoted): it is missing, so that nothing shows of which input \(partial.quoted) was made; "
                        + "remove that, and run the command without --resume"
                    : "\(note.quoted): \(SystemError.message(of: errno))"
            )
        }
        let file = Descriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw failure() }
        try Self.checkOwner(status, note)
        return file
    }

    // MARK: The table

    /// Truncates the table to a length, and continues writing there.
    func truncate(to byteCount: Int) throws {
        guard ftruncate(descriptor, byteCount) == 0 else { throw failure() }
        try seek(to: byteCount)
    }

    /// Continues reading or writing at a position.
    func seek(to position: Int) throws {
        guard lseek(descriptor, position, SEEK_SET) == position else { throw failure() }
    }

    func write(_ bytes: [UInt8]) throws {
        try reporting(.inputOutput) { () throws(SystemError) in try file.writeAll(bytes, partial.quoted) }
    }

    /// Gives the complete table its final name, once its content is on the disk.
    func finish() throws {
        try reporting(.inputOutput) { () throws(SystemError) in try file.synchronize(partial.quoted) }
        try reporting(.cannotCreate) { () throws(SystemError) in
            try file.link(asNewFileAt: place, output.quoted)
        }
        remove(partial)
        remove(note)
    }

    /// Removes the table that is not complete.
    func discard() { remove(partial) }

    private func reporting(
        _ status: ExitStatus,
        _ body: () throws(SystemError) -> Void
    ) throws {
        do throws(SystemError) { try body() } catch { throw CommandFailure(status, error.description) }
    }

    private func failure() -> CommandFailure {
        CommandFailure(.inputOutput, "\(partial.quoted): \(SystemError.message(of: errno))")
    }

    private func remove(_ file: FileArgument) { unlinkat(place.folder.number, Self.name(file), 0) }

    /// The name of a file in the folder of the output.
    private static func name(_ file: FileArgument) -> [CChar] {
        let start = file.bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return file.bytes[start...].map { CChar(bitPattern: $0) } + [0]
    }
}
