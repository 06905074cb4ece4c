// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Glibc

/// A folder that has its name when all of its files are on the disk, or never. Nothing is overwritten.
struct NewFolder {
    /// A file in it.
    struct File {
        let name: String
        let mode: mode_t
        /// What it is, for people.
        let purpose: String
        let bytes: [UInt8]

        init(_ name: String, mode: mode_t, _ purpose: String, _ text: String) {
            self.init(name, mode: mode, purpose, Array(text.utf8))
        }

        init(_ name: String, mode: mode_t, _ purpose: String, _ bytes: [UInt8]) {
            self.name = name
            self.mode = mode
            self.purpose = purpose
            self.bytes = bytes
        }
    }

    /// The absolute path.
    let path: String
    private let parent: String

    /// Finds out whether there can be a folder of a name.
    ///
    /// - Parameter argument: The name.
    /// - Throws: ``CommandFailure``, with ``ExitStatus/cannotCreate`` if something is there that is not an empty folder.
    init(at argument: FileArgument) throws(CommandFailure) {
        var name = argument.bytes[...]
        while name.count > 1, name.last == UInt8(ascii: "/") { name.removeLast() }
        let slash = name.lastIndex(of: UInt8(ascii: "/"))
        let last = String(decoding: Array(slash.map { name[($0 + 1)...] } ?? name), as: UTF8.self)
        guard !["", ".", "..", "-"].contains(last) else {
            throw CommandFailure(.usage, "\(argument.quoted): give the name of a new folder")
        }
        var above = Array((slash.map { $0 == name.startIndex ? "/" : "" } ?? ".").utf8)
        if let slash { above += name[..<slash] }
        guard let resolved = realpath(above.map { CChar(bitPattern: $0) } + [0], nil) else {
            throw Self.failure(argument.quoted, String(cString: strerror(errno)))
        }
        defer { free(resolved) }
        parent = String(cString: resolved)
        path = (parent == "/" ? "" : parent) + "/" + last
        guard Self.isPlain(path) else {
            throw CommandFailure(
                .usage,
                "\(argument.quoted): the path must consist of letters, digits and /._+-: it is part of the unit of systemd"
            )
        }
        try refuseIfTaken()
    }

    /// Whether a path needs no quotes in any file.
    static func isPlain(_ path: String) -> Bool {
        path.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "+", "-": true
            default: scalar.value >= 0xA1 && scalar.properties.isAlphabetic
            }
        }
    }

    private static func failure(_ name: String, _ reason: String) -> CommandFailure {
        CommandFailure(.cannotCreate, "cannot create \(name): \(reason)")
    }

    private func failure(_ errorNumber: Int32) -> CommandFailure {
        let isTaken = [EEXIST, ENOTEMPTY, ENOTDIR].contains(errorNumber)
        return Self.failure(
            FileArgument(argument: path).quoted,
            isTaken ? "it exists already, and nothing is overwritten" : String(cString: strerror(errorNumber))
        )
    }

    private func refuseIfTaken() throws(CommandFailure) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { throw failure(EEXIST) }
        guard let entries = opendir(path) else {
            guard errno == ENOENT else { throw failure(errno) }
            return
        }
        defer { closedir(entries) }
        // Those of the folder itself and its parent.
        var count = -2
        while readdir(entries) != nil { count += 1 }
        guard count == 0 else { throw failure(ENOTEMPTY) }
    }

    /// Writes the folder, which only this user can enter.
    ///
    /// - Parameters:
    ///   - files: Its files.
    ///   - beforeName: What must have succeeded before the folder gets its name.
    /// - Throws: ``CommandFailure``, with ``ExitStatus/cannotCreate``, or what `beforeName` throws. Nothing is left then.
    func write(_ files: [File], beforeName: () throws -> Void) throws {
        var template = Array("\(parent)/.credkit-server-init-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw failure(errno) }
        let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do {
            for file in files {
                let name = "\(temporary)/\(file.name)"
                try NewSecretFile.write(file.bytes, to: FileArgument(argument: name))
                guard chmod(name, file.mode) == 0 else { throw failure(errno) }
            }
            try beforeName()
            // It replaces an empty folder, and nothing else.
            guard rename(temporary, path) == 0 else { throw failure(errno) }
        } catch {
            for file in files { unlink("\(temporary)/\(file.name)") }
            rmdir(temporary)
            throw error
        }
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }
}
