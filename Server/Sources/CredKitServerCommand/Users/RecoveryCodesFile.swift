// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// The file with what is stored of recovery codes: a line `NAME:KEY` for each, with the 64 hexadecimal digits of its `StoreKey`.
/// The file alone counts, and is read whenever a code is used.
struct RecoveryCodesFile: Sendable {
    let file: LockedFile

    /// Creates a view of a file.
    init(name: FileArgument) { file = LockedFile(name: name) }

    /// Replaces the codes of a user. Blocks.
    ///
    /// - Parameters:
    ///   - keys: The keys of the new codes; none to remove the old ones.
    ///   - user: The name of the user.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written, or cannot hold the name.
    func set(_ keys: [StoreKey], ofUserNamed user: String) throws(CommandFailure) {
        guard keys.isEmpty || NamedLines.canHold(user) else {
            throw CommandFailure(
                .malformed,
                "\(file.name.quotedForMessage): it cannot hold the name of the user"
            )
        }
        guard !keys.isEmpty || file.exists else { return }
        _ = try file.change(creating: true) { (bytes) throws(CommandFailure) in
            var lines = NamedLines(bytes)
            guard !keys.isEmpty || !lines.values(of: user).isEmpty else { return nil }
            lines.set(keys.map { Array($0.hex.utf8) }, of: user)
            return lines.bytes
        }
    }

    /// Removes a code of a user. Blocks.
    ///
    /// - Parameters:
    ///   - key: The key of the code.
    ///   - user: The name of the user.
    /// - Returns: Whether it was there: once, for all programs.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written.
    func consume(_ key: StoreKey, ofUserNamed user: String) throws(CommandFailure) -> Bool {
        guard file.exists else { return false }
        return try file.change { (bytes) throws(CommandFailure) in
            var lines = NamedLines(bytes)
            let values = lines.values(of: user)
            let rest = values.filter { !$0.elementsEqual(key.hex.utf8) }
            guard rest.count < values.count else { return nil }
            lines.set(rest.map { Array($0) }, of: user)
            return lines.bytes
        }
    }

    /// Returns how many codes a user has. Blocks.
    ///
    /// - Parameter user: The name of the user.
    /// - Returns: The number.
    /// - Throws: ``CommandFailure`` if the file cannot be read.
    func count(ofUserNamed user: String) throws(CommandFailure) -> Int {
        guard file.exists else { return 0 }
        return NamedLines(try file.read()).values(of: user).count
    }
}
