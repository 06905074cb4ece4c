// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The names under which an engine stores keys: HMAC-SHA-256 under the servers' secret, so that a reader of the engine can
/// neither guess accounts and addresses nor find them by name. Names of different kinds differ.
struct StoredNames: Sendable {
    /// What is stored under a name.
    enum Kind: String {
        case replay, replayAccount, rate, client, challenge, session, user, counter
    }

    private let key: HMAC<SHA256>.Key

    init(_ configuration: SharedStateConfiguration) {
        key = HMAC<SHA256>.Key(configuration.key)
    }

    /// Returns the name of a key: 32 bytes.
    func name(_ kind: Kind, _ key: StoreKey) -> [UInt8] { code(kind, key.bytes) }

    /// Returns the name of a text, such as a user: 32 bytes.
    func name(_ kind: Kind, _ text: String) -> [UInt8] { code(kind, StoreKey(text).bytes) }

    private func code(_ kind: Kind, _ digest: [UInt8]) -> [UInt8] {
        let message = Array("credkit \(kind.rawValue) 1\0".utf8) + digest
        return HMAC<SHA256>.authenticationCode(for: message.span, using: key).bytes
    }
}
