// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitKeychain

/// How the tokens of a login or a renewal are bound to a key.
struct DPoPLogin: Sendable {
    /// The key of the login that is renewed; `nil` for a new login, which makes one.
    let key: DPoPKey?
    /// Whether a token that is not bound is refused.
    let requiresBoundToken: Bool
    let nonces: DPoPNonces
    /// The name of the session.
    let session: String
    let keychain: Keychain?

    /// Returns the key, which is a new one for a new login.
    func begin() throws(ClientError) -> DPoPBinding {
        let used: DPoPKey
        if let key { used = key } else { used = try DPoPKey() }
        return DPoPBinding(key: used, requiresBoundToken: requiresBoundToken, nonces: nonces, login: self)
    }
}
