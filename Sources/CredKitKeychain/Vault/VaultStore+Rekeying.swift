// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

// Creating slots again for a new key.
extension VaultStore {
    /// Replaces the vault key, and creates the slots that `plan` returns again: each with the secret in the plan, or
    /// else with an available one.
    func rekey(
        _ plan:
            @escaping @Sendable (_ slots: [KeySlot], _ openedBy: [KeySlot]) throws(KeychainError)
            -> [(KeySlot, UnlockSecret?)]
    ) async throws(KeychainError) -> [VaultSlot] {
        let costs = configuration.argon2idCost
        return try await perform(.all) { (state, context) throws(KeychainError) in
            _ = try state.current(context)
            let secrets = SlotSecrets(
                secrets: try state.unlocker.secretsAtHand(context),
                budget: context.budget
            )
            var dropped: [VaultSlot] = []
            var used: [UnlockSecret] = []
            try state.update(context, backup: .same) { (vault, _) throws(KeychainError) in
                let slots = vault.header.slots
                let opened = try secrets.opening(slots, of: vault.header.identifier)
                let openedBy = zip(slots, opened).filter { $0.1 != nil }.map(\.0)
                let kept = try plan(slots, openedBy)
                try vault.replaceKey()
                for (slot, new) in kept {
                    let index = slots.firstIndex { $0.identifier == slot.identifier }
                    guard let secret = new ?? index.flatMap({ opened[$0] }) else {
                        dropped.append(VaultSlot(slot))
                        continue
                    }
                    used.append(secret)
                    // A slot keeps its chosen cost; a new passphrase gets the configured cost.
                    let kind = new == nil || !slot.isForPassphrase ? slot.kind : .passphrase(costs)
                    vault.header.slots.append(
                        try vault.slot(
                            kind,
                            identifier: slot.identifier,
                            name: slot.name,
                            under: secret.bytes,
                            context.budget
                        )
                    )
                }
                guard !vault.header.slots.isEmpty else {
                    throw .invalid(
                        "the vault could not be unlocked any more: no slot with an available secret would remain"
                    )
                }
                try VaultKeyCache.remove(vaultIdentifier: vault.header.identifier)
                return true
            }
            for secret in used { state.unlocker.remember(secret) }
            return dropped
        }
    }

    /// Returns the slot whose passphrase should be changed.
    static func passphraseSlot(
        _ identifier: String?,
        of slots: [KeySlot],
        openedBy: [KeySlot],
        _ path: String
    ) throws(KeychainError) -> KeySlot {
        let all = slots.filter(\.isForPassphrase)
        if let identifier {
            guard let slot = all.first(where: { VaultSlot($0).identifier == identifier }) else {
                throw .notFound("the vault \(path) has no slot \(identifier) for a passphrase")
            }
            return slot
        }
        if let slot = openedBy.first(where: \.isForPassphrase) { return slot }
        guard let slot = all.first else {
            throw .notFound("the vault \(path) has no slot for a passphrase; add one")
        }
        guard all.count == 1 else {
            throw .invalid("the vault \(path) has several passphrases; name the slot to change")
        }
        return slot
    }
}
