// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

extension PasswordService {
    /// Creates the service of a server.
    ///
    /// - Parameter keyPhrase: The key phrase of timestamped logins, with which passwords are compared with password-equivalents.
    /// - Throws: `PasswordError` and `LoginServerError` for a key phrase that cannot be used.
    init(keyPhrase: SecretBytes?) throws {
        let keys = try keyPhrase.map { phrase in
            [StoredCredential.hashKeyID: try StoredCredential.hashKey(forKeyPhrase: phrase)]
        }
        try self.init(context: PasswordContext(policy: .recommended, legacyKeys: keys ?? [:]))
    }

    /// Measures the dearest hashes of users, so that all wrong passwords wait for them from now on.
    ///
    /// - Parameter credentials: Those of the users, or some of them.
    /// - Returns: A warning if all wrong passwords wait for them.
    /// - Throws: `PasswordError` if that is not possible now; kinds are then known from their first login on.
    func prepare(for credentials: [StoredCredential]) async throws(PasswordError) -> String? {
        try await prepare(for: credentials.lazy.map(\.passwordHash)).map { kind in
            func text(_ time: Duration) -> String {
                "\(Int((time / .milliseconds(1)).rounded())) ms"
            }
            return
                "users have hashes of different costs, the dearest \(kind.name), which takes \(text(kind.verification)), and "
                + "\(text(kind.policy)) by the policy; so that it does not show who exists, all wrong passwords take "
                + "\(text(kind.rejection))"
        }
    }
}
