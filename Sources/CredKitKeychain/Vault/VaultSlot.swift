// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A key slot of a vault, as people see it: one way to open it.
public struct VaultSlot: Sendable, Hashable {
    /// What opens a slot.
    public enum Kind: Sendable, Hashable {
        /// A passphrase, at the cost of a key derivation.
        case passphrase(KeyDerivation)
        /// A key: a file, a systemd credential.
        case key
        /// A key that a Secret Service keeps.
        case secretService
    }

    /// Which slot it is: 32 hexadecimal digits.
    public let identifier: String

    /// What opens it.
    public let kind: Kind

    /// What it is called. The name stands in the file in clear.
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
