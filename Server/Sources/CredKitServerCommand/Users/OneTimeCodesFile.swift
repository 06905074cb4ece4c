// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// The file with the keys of one-time codes, as the server writes it.
struct OneTimeCodesFile: Sendable {
    let file: LockedFile

    /// Creates a view of a file.
    init(name: FileArgument) { file = LockedFile(name: name) }

    /// Stores the key of a user. Blocks.
    ///
    /// - Parameters:
    ///   - uri: The key as ``text(of:)``; `nil` to remove it.
    ///   - user: The name of the user.
    /// - Throws: ``CommandFailure`` if the file cannot be locked, read or written, or cannot hold the name.
    func set(_ uri: [UInt8]?, ofUserNamed user: String) throws(CommandFailure) {
        guard uri == nil || NamedLines.canHold(user) else {
            throw CommandFailure(
                .malformed,
                "\(file.name.quotedForMessage): it cannot hold the name of the user"
            )
        }
        _ = try file.change { (bytes) throws(CommandFailure) in
            var lines = NamedLines(bytes)
            guard uri != nil || !lines.values(of: user).isEmpty else { return nil }
            lines.set(uri.map { [$0] } ?? [], of: user)
            return lines.bytes
        }
    }

    /// Returns a key as it stands in the file.
    static func text(of key: OneTimeCodeKey) throws(OneTimeCodeError) -> [UInt8] {
        try key.uri().withSecretBytes { uri in uri.indices.map { uri[$0] } }
    }
}
