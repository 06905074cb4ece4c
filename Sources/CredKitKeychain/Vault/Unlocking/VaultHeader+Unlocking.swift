// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

extension VaultHeader {
    /// Returns the vault's key and the slot, if the secret opens a slot. A key that does not match the vault's key
    /// check belongs to another vault: its slot was inserted here.
    func open(
        with secret: SecretSource.Secret,
        _ budget: DerivationBudget
    ) throws(KeychainError) -> (key: SecretBytes, slot: KeySlot)? {
        let candidates = slots.filter { $0.wants(secret) }
        try budget.check(candidates)
        for slot in candidates {
            if let key = try slot.open(with: secret.bytes, vaultIdentifier: identifier, budget) {
                guard try VaultHeader.keyCheck(of: key, identifier: identifier) == keyCheck else {
                    throw .damaged("the vault is damaged: a key slot holds the key of another vault")
                }
                return (key, slot)
            }
        }
        return nil
    }
}

extension KeySlot {
    /// Returns whether a secret of this kind may open the slot.
    func wants(_ secret: SecretSource.Secret) -> Bool {
        switch kind {
        case .passphrase: secret.isPassphrase
        case .rawKey, .secretService: !secret.isPassphrase
        }
    }
}

extension KeySlot {
    var isForPassphrase: Bool { if case .passphrase = kind { true } else { false } }
}
