// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem

/// A file with a secret, at a path where there is none yet.
public enum NewSecretFile {
    /// Writes the file, which only this user can read. It has its name when it is whole and on the disk, or never.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - file: The name.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/cannotCreate`` if there is a file of this name, or it cannot
    ///   be written; with ``ExitStatus/refused`` if another user has put a link on the way.
    public static func write(_ bytes: [UInt8], to file: FileArgument) throws(CommandFailure) {
        do throws(SystemError) {
            var new = try NewFile.create(file.bytes, "cannot write \(file.quoted)")
            try new.write(bytes.span)
            try new.commit()
        } catch {
            throw CommandFailure(.init(creating: error), "\(error)")
        }
    }

    /// Finds out whether a file could be written, without writing it.
    ///
    /// - Parameter file: The name.
    /// - Throws: ``CommandFailure``, as ``write(_:to:)`` would.
    public static func checkPlace(of file: FileArgument) throws(CommandFailure) {
        do throws(SystemError) {
            _ = try NewFile.create(file.bytes, "cannot write \(file.quoted)")
        } catch {
            throw CommandFailure(.init(creating: error), "\(error)")
        }
    }
}
