// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain

/// The secrets that sessions save, which the functions for passwords do not find.
extension Keychain {
    /// Returns the secret of a session as a text; `nil` if there is none.
    func sessionSecret(service: String, account: String) async throws -> String? {
        guard let key = try await sessionKey(service, account),
            let secret = try await credential(for: key)?.secret
        else { return nil }
        return secret.withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    /// Replaces the secret of a session, or stores that of a mechanism.
    func setSessionSecret(_ text: String, service: String, account: String, mechanism: String = "")
        async throws
    {
        let new = CredentialKey(
            .sessionSecret,
            service: service,
            account: account,
            attributes: ["mechanism": mechanism]
        )
        let key = try await sessionKey(service, account) ?? new
        try await set(Credential(item: CredentialItem(key: key), secret: SecretBytes(text)))
    }

    func deleteSessionSecret(service: String, account: String) async throws {
        if let key = try await sessionKey(service, account) { try await delete(key) }
    }

    private func sessionKey(_ service: String, _ account: String) async throws -> CredentialKey? {
        try await items(service: service).map(\.key).first { key in
            key.account == account
                && key.attributes[CredentialKey.purposeName] == CredentialKey.Purpose.sessionSecret.rawValue
        }
    }
}
