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
        var useCount = 0
    }

    private let entry = Lock<Entry?>(nil)

    /// Returns the keys for a challenge; `nil` if they must be computed.
    ///
    /// - Parameters:
    ///   - account: The user name.
    ///   - password: The password of SCRAM.
    ///   - challenge: The challenge of the server.
    /// - Returns: The keys.
    func keys(
        of account: String,
        _ password: SecretBytes,
        for challenge: SCRAM.Challenge
    ) -> SCRAM.ClientKeys? {
        entry.withLock { entry in
            guard let found = entry, ASCIIText.areEqual(found.account, account),
                found.keys.areUsable(for: challenge), found.password.isSame(as: password)
            else { return nil }
            entry?.useCount += 1
            return found.keys
        }
    }

    /// Keeps the keys of a login that has succeeded, in place of earlier ones.
    func keep(_ keys: SCRAM.ClientKeys, of account: String, _ password: SecretBytes) {
        guard let password = try? RejectedPassword(password) else { return }
        entry.withLock { entry in
            let useCount = entry?.useCount ?? 0
            entry = Entry(account: account, password: password, keys: keys, useCount: useCount)
        }
    }

    /// Forgets the keys.
    func removeAll() { entry.withLock { $0 = nil } }

    /// How many logins the keys have spared the work.
    var useCount: Int { entry.withLock { $0?.useCount ?? 0 } }

    /// Whether there are no keys.
    var isEmpty: Bool { entry.withLock { $0 == nil } }
}
