// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// The file with the keys of one-time codes, as the server writes it.
struct OneTimeCodesFile: Sendable {
    let file: LockedFile

    /// Creates a view of a file.
    init(name: FileArgument) { file = LockedFile(name: name) }

    /// Stores the key of a user who has none, or removes it. Blocks.
    ///
    /// - Parameters:
    ///   - uri: The key as ``text(of:)``; `nil` to remove it.
    ///   - user: The name of the user.
    ///   - recoveryCodes: The file from which the recovery codes of the user are removed before; `nil` for none.
    /// - Returns: Whether the user has this key, or none, now: not if there was another one already.
    /// - Throws: ``CommandFailure`` if a file cannot be locked, read or written, or cannot hold the name.
    @discardableResult
    func set(
        _ uri: [UInt8]?,
        ofUserNamed user: String,
        clearing recoveryCodes: RecoveryCodesFile? = nil
    ) throws(CommandFailure) -> Bool {
        guard uri == nil || NamedLines.canHold(user) else {
            throw CommandFailure(
                .malformed,
                "\(file.name.quotedForMessage): it cannot hold the name of the user"
            )
        }
        // Without keys there may be recovery codes of a removal that was interrupted.
        guard uri != nil || file.exists else {
            try recoveryCodes?.set([], ofUserNamed: user)
            return true
        }
        var isRefused = false
        _ = try file.change(creating: true) { (bytes) throws(CommandFailure) in
            var lines = NamedLines(bytes)
            let hasKey = !lines.values(of: user).isEmpty
            isRefused = uri != nil && hasKey
            guard !isRefused else { return nil }
            try recoveryCodes?.set([], ofUserNamed: user)
            guard uri != nil || hasKey else { return nil }
            lines.set(uri.map { [$0] } ?? [], of: user)
            return lines.bytes
        }
        return !isRefused
    }

    /// Returns a key as it stands in the file.
    static func text(of key: OneTimeCodeKey) throws(OneTimeCodeError) -> [UInt8] {
        try key.uri().withSecretBytes { uri in uri.indices.map { uri[$0] } }
    }
}
