// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain

/// The items of the keys that tokens are bound to, in the keychain.
enum DPoPKeyItem {
    /// The item of a key whose refresh token is not saved.
    static func ofSession(_ name: String, _ thumbprint: String) -> CredentialKey {
        CredentialKey(
            .dpopKey,
            service: SessionKey.service,
            account: name,
            attributes: ["key": thumbprint]
        )
    }

    /// The item of the key of a refresh token; `nil` for an item that is none. Sessions of several names share both.
    static func beside(_ secret: CredentialKey) -> CredentialKey? {
        guard secret.attributes["mechanism"] == OAuthMechanism.scheme else { return nil }
        let purpose = [CredentialKey.purposeName: CredentialKey.Purpose.dpopKey.rawValue]
        return CredentialKey(
            service: secret.service,
            account: secret.account,
            attributes: secret.attributes.merging(purpose) { $1 }
        )
    }

    static func credential(_ key: DPoPKey, at place: CredentialKey) throws(ClientError) -> Credential {
        let item = CredentialItem(key: place, label: "Key of the tokens of \(place.account ?? "a login")")
        return Credential(item: item, secret: try key.stored())
    }

    static func store(
        _ key: DPoPKey,
        at place: CredentialKey,
        in keychain: Keychain
    ) async throws(ClientError) {
        let credential = try credential(key, at: place)
        do throws(KeychainError) {
            try await keychain.set(credential)
        } catch {
            throw .keychain(error)
        }
    }

    /// Reads a key; `nil` if there is none.
    static func read(_ place: CredentialKey, in keychain: Keychain) async throws(ClientError) -> DPoPKey? {
        let stored: SecretBytes?
        do throws(KeychainError) {
            stored = try await keychain.credential(for: place)?.secret
        } catch {
            throw .keychain(error)
        }
        guard let stored else { return nil }
        guard let key = DPoPKey(stored: stored) else {
            throw .storage("the key of the login's tokens in the keychain is damaged: log in again")
        }
        return key
    }

    /// Removes the keys of a session that are not beside a refresh token, but for one.
    static func removeAll(
        ofSession name: String,
        but kept: CredentialKey?,
        in keychain: Keychain
    ) async throws(ClientError) {
        do throws(KeychainError) {
            for item in try await keychain.items(service: SessionKey.service)
            where item.key.isFor(.dpopKey) && item.key != kept
                && item.account.map({ ASCIIText.areEqual($0, name) }) == true
            {
                try await keychain.delete(item.key)
            }
        } catch {
            throw .keychain(error)
        }
    }
}
