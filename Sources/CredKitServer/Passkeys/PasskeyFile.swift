// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

/// The file of a ``FilePasskeyStore``, which another program may change at any time, in the same way.
///
/// A change reads the file, writes a new one and gives it the name, while a second file is locked. A reader needs no lock: it
/// opens the file anew if the name is that of another one by now.
final class PasskeyFile: Sendable {
    /// What differs between a file and one that has replaced it, or to which something was written.
    private struct Mark: Sendable, Equatable {
        let device: UInt64
        let number: UInt64
        let byteCount: Int64
        let seconds: Int64
        let nanoseconds: Int64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            number = UInt64(status.st_ino)
            byteCount = Int64(status.st_size)
            seconds = Int64(status.st_mtim.tv_sec)
            nanoseconds = Int64(status.st_mtim.tv_nsec)
        }
    }

    /// The file that was read last. It is held open, so that no other one can have its number.
    private struct Version: Sendable {
        let file: Descriptor
        let mark: Mark
    }

    private struct State: Sendable {
        var table = PasskeyTable()
        var version: Version?
        /// Whether the files of interrupted writes were removed.
        var isCleaned = false
    }

    /// Some 100,000 passkeys.
    private static let maximumByteCount = 64 << 20

    /// The number of random bytes in the name of a file that is being written.
    private static let suffixByteCount = 8

    let path: String
    private let folder: String
    private let name: String
    private let state = Lock(State())

    init(path: String) {
        self.path = path
        let end = path.lastIndex(of: "/")
        name = String(path[(end.map { path.index(after: $0) } ?? path.startIndex)...])
        folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Reads from the present table.
    func read<Value>(_ body: (PasskeyTable) -> Value) throws(SystemError) -> Value {
        try state.withLock { (state: inout State) throws(SystemError) -> Value in
            try refresh(&state, in: directory())
            return body(state.table)
        }
    }

    /// Changes the table, and returns when the change is on the disk.
    func change<Value>(_ body: (inout PasskeyTable) -> Value) throws(SystemError) -> Value {
        try state.withLock { (state: inout State) throws(SystemError) -> Value in
            let directory = try directory()
            let lock = try directory.open(".\(name).lock", O_RDWR | O_CREAT, mode: 0o600)
            // Closing the file ends the lock.
            defer { withExtendedLifetime(lock) {} }
            while flock(lock.number, LOCK_EX) != 0 {
                guard errno == EINTR else { throw SystemError(errno, "cannot lock \(path)") }
            }
            try refresh(&state, in: directory)
            var table = state.table
            let value = body(&table)
            guard table != state.table else { return value }
            if !state.isCleaned {
                try clean(directory)
                state.isCleaned = true
            }
            try write(table, to: directory)
            state.version = nil
            try refresh(&state, in: directory)
            return value
        }
    }

    private func directory() throws(SystemError) -> PrivateDirectory {
        try PrivateDirectory(folder, isCreated: false)
    }

    /// Reads the file unless it is the one that was read last.
    private func refresh(_ state: inout State, in directory: PrivateDirectory) throws(SystemError) {
        if let present = directory.status(of: name), state.version?.mark == Mark(present) { return }
        let file: Descriptor
        do throws(SystemError) {
            file = try directory.open(name, O_RDONLY)
        } catch {
            // What cannot be read is not empty: no account would require a passkey, and a change would replace the file.
            guard error.kind == .notFound else { throw error }
            // An account would get another user handle, and its passkeys would be lost.
            guard state.version == nil else {
                throw SystemError(.notFound, "\(path), the file of passkeys, has gone: restore it")
            }
            return
        }
        let status = try file.status()
        let bytes = try file.readAll(limit: Self.maximumByteCount + 1, expecting: Int(status.st_size))
        guard bytes.count <= Self.maximumByteCount, let json = try? StrictJSON(parsing: bytes),
            let table = PasskeyTable(json)
        else {
            throw SystemError(.inputOutput, "\(path) is no file of passkeys, or is damaged: restore it")
        }
        state.table = table
        state.version = Version(file: file, mark: Mark(status))
    }

    private func write(_ table: PasskeyTable, to directory: PrivateDirectory) throws(SystemError) {
        let bytes = Array((table.json.text + "\n").utf8)
        guard bytes.count <= Self.maximumByteCount else {
            throw SystemError(.inputOutput, "\(path) has no room for more passkeys: keep them in PostgreSQL")
        }
        var file = try AtomicFile(
            in: directory,
            temporaryName: ".\(name).\(Hex.encode(SecureRandom.bytes(count: Self.suffixByteCount)))",
            "cannot write \(path)"
        )
        try file.write(bytes)
        try file.synchronize()
        try file.commit(as: name)
    }

    /// Removes what interrupted writes have left. No other process writes while this one has the lock.
    private func clean(_ directory: PrivateDirectory) throws(SystemError) {
        for other in try directory.names() where isTemporary(other) { directory.remove(other) }
    }

    /// Returns whether a name is one of an interrupted write. The lock of a store whose name begins like this one's is not.
    private func isTemporary(_ other: String) -> Bool {
        let start = Array(".\(name).".utf8)
        guard other.utf8.starts(with: start) else { return false }
        let suffix = try? Hex.decode(Array(other.utf8.dropFirst(start.count)))
        return suffix?.count == Self.suffixByteCount
    }
}
