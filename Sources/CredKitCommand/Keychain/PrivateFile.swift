// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// A new file that only this user can read. It has its name when it is whole, or never.
enum PrivateFile {
    /// Throws if there is something by that name.
    static func refuseExisting(_ file: FileArgument) throws {
        var status = stat()
        guard lstat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) != 0 else {
            throw CommandFailure(.cannotCreate, "\(file.quoted): is there already, and is left as it is")
        }
    }

    /// Writes a file where nothing is. What interrupts it leaves nothing behind.
    static func create(_ file: FileArgument, _ content: some SecretInput) throws {
        var status = CommandFailure.Status.cannotCreate
        do throws(SystemError) {
            var new = try NewFile.create(file.bytes, file.quoted)
            status = .inputOutput
            try content.withSecretBytes { (bytes) throws(SystemError) in try new.write(bytes) }
            status = .cannotCreate
            try new.commit()
        } catch {
            throw CommandFailure(status, error.description)
        }
    }
}
