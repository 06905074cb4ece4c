// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// The keys of the last login of a session by SCRAM, so that a renewal costs no PBKDF2. They are in guarded memory and in no
/// file, and are forgotten at a logout and when the server rejects them.
final class SCRAMKeyCache: Sendable {
    private struct Entry: Sendable {
        let account: String
        /// The user may have changed the password since.
        let password: RejectedPassword
        let keys: SCRAM.ClientKeys
    }

    private let entry = Lock<Entry?>(nil)

    /// Returns the keys for a challenge; `nil` if they must be computed.
    ///
    /// - Parameters:
    ///   - account: The user name.
    ///   - password: The password of SCRAM.
    ///   - challenge: The challenge of the server.
    func keys(
        of account: String,
        _ password: SecretBytes,
        for challenge: SCRAM.Challenge
    ) -> SCRAM.ClientKeys? {
        guard let entry = entry.withLock({ $0 }), ASCIIText.areEqual(entry.account, account),
            entry.keys.areUsable(for: challenge), entry.password.isSame(as: password)
        else { return nil }
        return entry.keys
    }

    /// Keeps the keys of a login that has succeeded, in place of earlier ones.
    func keep(_ keys: SCRAM.ClientKeys, of account: String, _ password: SecretBytes) {
        guard let password = try? RejectedPassword(password) else { return }
        entry.withLock { $0 = Entry(account: account, password: password, keys: keys) }
    }

    /// Forgets the keys.
    func removeAll() { entry.withLock { $0 = nil } }

    /// Whether there are keys.
    var isEmpty: Bool { entry.withLock { $0 == nil } }
}
