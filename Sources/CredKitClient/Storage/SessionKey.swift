// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain

/// The key of one session file, and its item in the keychain.
struct SessionKey: Sendable {
    /// The service of all these items; the account is the name of the session.
    static let service = "credkit-session"

    static func item(_ name: String) -> CredentialKey {
        CredentialKey(.sessionKey, service: service, account: name)
    }

    let bytes: SecretBytes

    init() throws(ClientError) {
        do throws(SecretMemoryError) {
            bytes = try SecretBytes(randomByteCount: AESGCM.keyByteCount)
        } catch {
            throw .outOfMemory
        }
    }

    /// Reads the key of a session; `nil` if there is none.
    init?(name: String, in keychain: Keychain) async throws(ClientError) {
        let stored: SecretBytes?
        do throws(KeychainError) {
            stored = try await keychain.credential(for: Self.item(name))?.secret
        } catch {
            throw .keychain(error)
        }
        guard let stored else { return nil }
        let decoded = stored.withSecretBytes { text -> SecretBytes? in
            guard let bytes = try? Base64.standard.decode(text.indices.map { text[$0] }) else { return nil }
            return try? SecretBytes(bytes)
        }
        guard let decoded, decoded.count == AESGCM.keyByteCount else {
            throw .storage("the key of the session '\(name)' in the keychain is damaged: log in again")
        }
        bytes = decoded
    }

    /// Saves the key in the keychain, as text because not every store supports arbitrary bytes.
    func store(name: String, in keychain: Keychain) async throws(ClientError) {
        let text: SecretBytes
        do throws(SecretMemoryError) {
            text = try SecretBytes(
                bytes.withSecretBytes { bytes in Base64.standard.encode(bytes.indices.map { bytes[$0] }) }
            )
        } catch {
            throw .outOfMemory
        }
        do throws(KeychainError) {
            let item = CredentialItem(key: Self.item(name), label: "Key of the login session \(name)")
            try await keychain.set(Credential(item: item, secret: text))
        } catch {
            throw .keychain(error)
        }
    }

    static func delete(name: String, in keychain: Keychain) async throws(ClientError) {
        do throws(KeychainError) {
            try await keychain.delete(item(name))
        } catch {
            throw .keychain(error)
        }
    }

    /// Returns the names of all sessions that have a key.
    static func names(in keychain: Keychain) async throws(ClientError) -> [String] {
        do throws(KeychainError) {
            return try await keychain.items(service: service).compactMap { item in
                item.key.isFor(.sessionKey) ? item.account : nil
            }
        } catch {
            throw .keychain(error)
        }
    }
}
