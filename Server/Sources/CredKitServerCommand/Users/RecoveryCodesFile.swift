// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// The file with what is stored of recovery codes: a line `NAME:KEY:REVISION` for each, with the 64 hexadecimal digits of its
/// `StoreKey`, and those that stand for the user's key of one-time codes. Whoever changes that key, also by hand, ends the recovery
/// codes that were made with it. The file alone counts, and is read whenever a code is used.
struct RecoveryCodesFile: Sendable {
    let file: LockedFile

    /// Creates a view of a file.
    init(name: FileArgument) { file = LockedFile(name: name) }

    /// Replaces the codes of a user. Blocks.
    ///
    /// - Parameters:
    ///   - keys: The keys of the new codes; none to remove the old ones.
    ///   - revision: What stands for the user's key of one-time codes; without it there are no recovery codes.
    ///   - user: The name of the user.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written, or cannot hold the name.
    func set(
        _ keys: [StoreKey],
        with revision: StoreKey? = nil,
        ofUserNamed user: String
    ) throws(CommandFailure) {
        let values = revision.map { revision in keys.map { Self.value($0, revision) } } ?? []
        guard values.isEmpty || NamedLines.canHold(user) else {
            throw CommandFailure(
                .malformed,
                "\(file.name.quotedForMessage): it cannot hold the name of the user"
            )
        }
        guard !values.isEmpty || file.exists else { return }
        _ = try file.change(creating: true) { (bytes) throws(CommandFailure) in
            var lines = NamedLines(bytes)
            guard !values.isEmpty || !lines.values(of: user).isEmpty else { return nil }
            lines.set(values, of: user)
            return lines.bytes
        }
    }

    /// Removes a code of a user. Blocks.
    ///
    /// - Parameters:
    ///   - key: The key of the code.
    ///   - revision: What stands for the user's key of one-time codes.
    ///   - user: The name of the user.
    /// - Returns: Whether it was there: once, for all programs.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written.
    func consume(
        _ key: StoreKey,
        with revision: StoreKey,
        ofUserNamed user: String
    ) throws(CommandFailure) -> Bool {
        guard file.exists else { return false }
        let value = Self.value(key, revision)
        return try file.change { (bytes) throws(CommandFailure) in
            var lines = NamedLines(bytes)
            let values = lines.values(of: user)
            let rest = values.filter { !$0.elementsEqual(value) }
            guard rest.count < values.count else { return nil }
            lines.set(rest.map { Array($0) }, of: user)
            return lines.bytes
        }
    }

    /// Returns how many codes a user has. Blocks.
    ///
    /// - Parameters:
    ///   - revision: What stands for the user's key of one-time codes.
    ///   - user: The name of the user.
    /// - Returns: The number.
    /// - Throws: ``CommandFailure`` if the file cannot be read.
    func count(with revision: StoreKey, ofUserNamed user: String) throws(CommandFailure) -> Int {
        guard file.exists else { return 0 }
        let end = Self.end(revision)
        return NamedLines(try file.read()).values(of: user).count { $0.suffix(end.count).elementsEqual(end) }
    }

    private static func value(_ key: StoreKey, _ revision: StoreKey) -> [UInt8] {
        Array(key.hex.utf8) + end(revision)
    }

    private static func end(_ revision: StoreKey) -> [UInt8] { Array(":\(revision.hex)".utf8) }
}
