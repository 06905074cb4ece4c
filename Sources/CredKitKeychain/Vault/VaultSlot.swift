// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A key slot of a vault: one way to unlock it.
public struct VaultSlot: Sendable, Hashable {
    /// The kind of secret that opens a slot.
    public enum Kind: Sendable, Hashable {
        /// A passphrase, with the cost of its key derivation.
        case passphrase(Argon2idCost)
        /// A key, for example from a file or a systemd credential.
        case key
        /// A key that a Secret Service stores.
        case secretService
    }

    /// The identifier of the slot: 32 hexadecimal digits.
    public let identifier: String

    /// The kind of secret that opens the slot.
    public let kind: Kind

    /// The name of the slot. It is stored unencrypted in the file.
    public let name: String

    init(_ slot: KeySlot) {
        identifier = Hex.encode(slot.identifier)
        name = slot.name
        kind =
            switch slot.kind {
            case .passphrase(let costs): .passphrase(costs)
            case .rawKey: .key
            case .secretService: .secretService
            }
    }
}
