// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import FoundationEssentials

/// Docker's items in the keychain.
struct DockerCredentialStore {
    let keychain: Keychain

    /// Docker's own items in a vault. In the Secret Service, the attribute scheme marks them.
    private var purpose: CredentialKey.Purpose? { isSecretService ? nil : .docker }

    /// Whether the store is a Secret Service in docker's own scheme, which other helpers of docker share.
    private var isSecretService: Bool { (keychain.store as? SecretServiceStore)?.schema == .docker }

    func add(_ credential: DockerCredential) async throws {
        let (service, account) = (credential.serverURL, credential.username)
        let key =
            purpose.map { CredentialKey($0, service: service, account: account) }
            ?? CredentialKey(service: service, account: account)
        let item = CredentialItem(key: key, label: credential.serverURL)
        // docker looks items up by server alone. An older item of another user would never be returned again, or be
        // returned instead of this one, because the Secret Service stores times in whole seconds.
        let others = try await items(credential.serverURL).map(\.key).filter { !$0.isSame(as: key) }
        try await keychain.update(
            [.set(Credential(item: item, secret: credential.secret))] + others.map { .delete($0) }
        )
    }

    /// Returns the credential that was stored last for a server.
    func credential(for serverURL: String) async throws -> DockerCredential {
        guard let item = try await items(serverURL).last, let username = item.account,
            let credential = try await keychain.credential(for: item.key)
        else { throw DockerCredential.notFound }
        return DockerCredential(serverURL: serverURL, username: username, secret: credential.secret)
    }

    func delete(_ serverURL: String) async throws {
        for item in try await items(serverURL) { try await keychain.delete(item.key) }
    }

    /// Returns the servers with the user name that was stored last for each, ordered by server. Servers are the same if
    /// their bytes are.
    func list() async throws -> [(server: String, user: String)] {
        var users: [[UInt8]: (server: String, user: String)] = [:]
        for item in try await items(nil) {
            users[Array(item.service.utf8)] = (item.service, item.account ?? "")
        }
        return users.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// Returns docker's items, ordered from the oldest to the newest.
    private func items(_ serverURL: String?) async throws -> [CredentialItem] {
        try await keychain.items(service: serverURL)
            .filter { item in
                item.account != nil && !item.service.isEmpty && item.key.isFor(purpose)
            }
            .sorted { ($0.modified ?? .distantPast) < ($1.modified ?? .distantPast) }
    }
}
