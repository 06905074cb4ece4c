// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// The users file as the server and its commands write it, one program after the other.
struct UsersFile: Sendable {
    private let file: LockedFile

    /// The name of the file.
    var name: FileArgument { file.name }

    /// Creates a view of a file.
    init(name: FileArgument) { file = LockedFile(name: name) }

    /// Throws if the server could not replace the file.
    ///
    /// - Parameter option: The option that asks for it.
    /// - Throws: ``CommandFailure``, which names the option.
    func checkPlace(for option: String) throws(CommandFailure) {
        do throws(CommandFailure) {
            try file.checkPlace()
        } catch {
            throw CommandFailure(
                error.status,
                "\(option) requires a file of the server's user, in a folder that it can write: "
                    + (error.message ?? "\(error)")
            )
        }
    }

    /// Stores a credential in the file. Blocks.
    ///
    /// - Parameters:
    ///   - newer: What to write.
    ///   - old: What the file must have in its place; `nil` if it must have no such user.
    ///   - user: The name of the user. Its first line counts.
    /// - Returns: Whether the file had it, and can hold the name. What was changed there stays.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written.
    func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofUserNamed user: String
    ) throws(CommandFailure) -> Bool {
        try file.change { (bytes) throws(CommandFailure) in
            Self.set(newer, inPlaceOf: old, of: user, in: bytes)
        }
    }

    /// Returns the content of a file with another credential of a user; `nil` if the file has another one than the old one.
    static func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        of user: String,
        in bytes: [UInt8]
    ) -> [UInt8]? {
        guard NamedLines.canHold(user) else { return nil }
        var lines = NamedLines(bytes)
        if let present = lines.values(of: user).first {
            guard let old, let text = String(validating: present, as: UTF8.self),
                (try? StoredCredential(text)) == old,
                // Other texts that no password matches lock the user.
                old != .unusable || text == old.text
            else { return nil }
        } else if old != nil {
            return nil
        }
        lines.set([Array(newer.text.utf8)], of: user)
        return lines.bytes
    }

    /// Removes a user from the file. Blocks.
    ///
    /// - Parameter user: The name of the user.
    /// - Returns: Whether there was one.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written; with ``ExitStatus/refused`` for the last user, since
    ///   a server does not read a file without users, and the user would stay.
    func remove(_ user: String) throws(CommandFailure) -> Bool {
        try file.change { (bytes) throws(CommandFailure) in
            var lines = NamedLines(bytes)
            guard !lines.values(of: user).isEmpty else { return nil }
            guard lines.hasOther(than: user) else {
                throw CommandFailure(
                    .refused,
                    "\(name.quotedForMessage): it has no other user, and a server does not read a file without users"
                )
            }
            lines.set([], of: user)
            return lines.bytes
        }
    }
}
