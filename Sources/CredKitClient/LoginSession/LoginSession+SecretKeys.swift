// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain

/// Where the secret of a login is in the keychain.
extension LoginSession {
    /// The keychain service that the password is saved under.
    var service: String { configuration.keychainService ?? loginServer.origin.description }

    /// The item with the secret of an account. Other mechanisms, other logins of the same server and other programs do not find
    /// it: what one of them would send, this one may never send.
    func secretKey(of account: String) -> CredentialKey {
        Self.secretKey(of: account, service: service, at: loginServer.absoluteString, profile, mechanism)
    }

    private static func secretKey(
        of account: String,
        service: String,
        at server: String,
        _ profile: LoginProfile,
        _ mechanism: any LoginMechanism
    ) -> CredentialKey {
        // Servers of several tenants have one for each path, and providers of tokens one for each client.
        var login = [server, profile.loginPath]
        if let oauth = mechanism as? OAuthMechanism { login += [oauth.tokenPath, oauth.clientID] }
        // Another field of the same form may be public.
        if mechanism is FormMechanism { login += [profile.usernameField, profile.passwordField] }
        let digest = SHA256.hash(data: Array(login.joined(separator: "\n").utf8))
        return CredentialKey(
            .sessionSecret,
            service: service,
            account: account,
            attributes: ["mechanism": mechanism.name, "login": Hex.encode(digest.prefix(8))]
        )
    }

    /// The item with the secret that an earlier process has saved; `nil` if it saved none. A profile with a mechanism of the
    /// program's own cannot be read: it is taken for that of this session.
    func secretKey(of contents: SessionContents) -> CredentialKey? {
        guard contents.savesPassword else { return nil }
        let stored = try? LoginProfile(json: contents.profile)
        let server = (try? HTTPURL(stored?.server ?? contents.server))?.absoluteString ?? contents.server
        return Self.secretKey(
            of: contents.account,
            service: contents.service,
            at: server,
            stored ?? profile,
            stored?.mechanism ?? mechanism
        )
    }

    /// Stores the secret of an account in the keychain, and the key that it is bound to.
    func store(
        _ secret: SecretBytes,
        boundTo key: DPoPKey?,
        of account: String,
        in keychain: Keychain
    ) async throws(ClientError) {
        let item = CredentialItem(
            key: secretKey(of: account),
            label: "Login of \(account) at \(loginServer.origin)"
        )
        var changes = [CredentialChange.set(Credential(item: item, secret: secret))]
        if let key, let place = DPoPKeyItem.beside(item.key) {
            changes.append(.set(try DPoPKeyItem.credential(key, at: place)))
        }
        do throws(KeychainError) {
            try await keychain.update(changes)
        } catch {
            throw .keychain(error)
        }
    }
}
