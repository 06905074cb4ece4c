// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The secrets that a call has, and what trying them may cost.
struct SlotSecrets {
    let secrets: [UnlockSecret]
    let budget: DerivationBudget

    /// Returns for each slot of a vault the secret that opens it, if there is one.
    func opening(
        _ slots: [KeySlot],
        of vaultIdentifier: [UInt8]
    ) throws(KeychainError) -> [UnlockSecret?] {
        var opened: [UnlockSecret?] = []
        for slot in slots {
            var found: UnlockSecret?
            for secret in secrets where found == nil && slot.wants(secret) {
                let key = try slot.open(with: secret.bytes, vaultIdentifier: vaultIdentifier, budget)
                if key != nil { found = secret }
            }
            opened.append(found)
        }
        return opened
    }
}
