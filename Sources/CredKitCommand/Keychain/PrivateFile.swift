// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// Creates a new file that only this user can read. The file gets its name only when it is complete.
enum PrivateFile {
    /// Throws ``CommandFailure`` if the name exists already.
    static func refuseExisting(_ file: FileArgument) throws {
        var status = stat()
        guard lstat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) != 0 else {
            throw CommandFailure(.cannotCreate, "\(file.quoted): already exists, and is not overwritten")
        }
    }

    /// Writes a new file. An interrupted write leaves nothing behind.
    static func create(_ file: FileArgument, _ content: some SecretInput) throws {
        try create(file) { (new) throws(SystemError) in
            try content.withSecretBytes { (bytes) throws(SystemError) in try new.write(bytes) }
        }
    }

    /// Creates a new file that `write` writes. If that fails, nothing is left behind.
    static func create(
        _ file: FileArgument,
        _ write: (borrowing NewFile) throws(SystemError) -> Void
    ) throws {
        var isWriting = false
        do throws(SystemError) {
            var new = try NewFile.create(file.bytes, file.quoted)
            isWriting = true
            try write(new)
            isWriting = false
            try new.commit()
        } catch {
            throw CommandFailure(isWriting ? .inputOutput : .init(creating: error), error.description)
        }
    }
}
