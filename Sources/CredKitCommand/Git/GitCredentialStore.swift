// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// Git's items in the keychain.
struct GitCredentialStore {
    let keychain: Keychain

    /// Git's own items in a vault. In the Secret Service, the attribute scheme has names of its own, which other helpers of git
    /// share.
    private var purpose: CredentialKey.Purpose? {
        (keychain.store as? SecretServiceStore)?.schema == .git ? nil : .git
    }

    private func key(_ address: String, _ account: String?) -> CredentialKey {
        purpose.map { CredentialKey($0, service: address, account: account) }
            ?? CredentialKey(service: address, account: account)
    }

    /// Returns the answer to `get`: no lines if there is no credential, or several.
    func answer(_ message: GitCredentialMessage, _ address: String) async throws -> SecretBytes {
        var items = try await items(message, address)
        // Prefer the item with exactly this address to items with paths below it.
        if items.count > 1 {
            let same = items.filter { $0.service.utf8.elementsEqual(address.utf8) }
            if same.count == 1 { items = same }
        }
        guard items.count <= 1 else {
            let names = items.map { ShellQuoting.quote(Array(($0.account ?? "").utf8)) }.joined(
                separator: ", "
            )
            StandardStreams.report(
                "several users have a password for \(ShellQuoting.escapingUnprintable(address)): \(names). Put one "
                    + "into the URL, or set credential.username"
            )
            return try SecretBytes([UInt8]())
        }
        guard let item = items.first, let credential = try await keychain.credential(for: item.key) else {
            return try SecretBytes([UInt8]())
        }
        return try Self.lines(GitStoredSecret(credential.secret), item.account, message)
    }

    /// Returns the attributes of a stored credential: not an expired password, but its refresh token.
    private static func lines(
        _ stored: GitStoredSecret,
        _ account: String?,
        _ message: GitCredentialMessage
    ) throws -> SecretBytes {
        var attributes: [(name: String, value: SecretBytes)] = []
        if let account { attributes.append(("username", try SecretBytes(account))) }
        if !stored.isExpired(at: Int64(time(nil))) {
            if let type = stored.authenticationType, let credential = stored.encodedCredential {
                // A git without this capability would not understand the credential.
                guard message.capabilities.contains("authtype") else { return try SecretBytes([UInt8]()) }
                attributes.insert(("capability[]", try SecretBytes("authtype")), at: 0)
                attributes += [("authtype", try SecretBytes(type)), ("credential", credential)]
            } else {
                attributes.append(("password", stored.password))
            }
            if let expiry = stored.expiry {
                attributes.append(("password_expiry_utc", try SecretBytes(String(expiry))))
            }
        }
        if let token = stored.refreshToken { attributes.append(("oauth_refresh_token", token)) }
        // Another program may have stored such values. git would read a part of them as another attribute.
        let isBroken = attributes.contains { _, value in
            value.withSecretBytes { bytes in
                bytes.indices.contains { GitCredentialMessage.isForbidden(bytes[$0]) }
            }
        }
        guard !isBroken else {
            throw CommandFailure(
                .malformed,
                "the stored credential has a line break or a NUL, which git's protocol cannot transmit"
            )
        }
        let end = try SecretBytes("\n")
        return try SecretBytes(joining: attributes.flatMap { [("\($0.name)=", $0.value), ("", end)] })
    }

    /// Stores a credential that a server has accepted.
    func store(_ message: GitCredentialMessage, _ address: String) async throws {
        guard message.username != nil || message.encodedCredential != nil,
            let secret = try GitStoredSecret.encode(message)
        else { return }
        let key = key(address, message.username)
        // git stores the credential after every use, so skip the write if nothing has changed.
        if try await keychain.credential(for: key)?.secret == secret { return }
        try await keychain.set(
            Credential(item: CredentialItem(key: key), secret: secret)
        )
    }

    /// Deletes a credential that a server has rejected. Keeps items whose password is not the one that git tried.
    func erase(_ message: GitCredentialMessage, _ address: String) async throws {
        for item in try await items(message, address) {
            guard let credential = try await keychain.credential(for: item.key) else { continue }
            let stored = try GitStoredSecret(credential.secret)
            if let password = message.password, password != stored.password { continue }
            if let encoded = message.encodedCredential, encoded != stored.encodedCredential { continue }
            try await keychain.delete(item.key)
        }
    }

    /// Returns the items with the address of a message. If there are none and the message has no path, returns the
    /// items below that address.
    private func items(_ message: GitCredentialMessage, _ address: String) async throws -> [CredentialItem] {
        func matching(_ items: [CredentialItem]) -> [CredentialItem] {
            items.filter {
                $0.key.isFor(purpose) && message.matches(address: $0.service)
                    && message.matches(account: $0.account)
            }
        }
        let exact = matching(try await keychain.items(service: address))
        guard exact.isEmpty, (message.path ?? "").isEmpty else { return exact }
        return matching(try await keychain.items())
    }
}
