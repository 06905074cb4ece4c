// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// What one call has for unlocking the vault.
struct UnlockContext: Sendable {
    /// Until when the caller waits.
    let token: CancellationToken
    /// The keys that other stores contain for this vault.
    let storedKeys: [SecretBytes]
    /// What all key derivations of the call may cost.
    let budget: DerivationBudget
    /// Whether to accept an older copy, another vault, or none, instead of what this account has seen.
    let acceptsRollback: Bool
    private let promptPolicy: PromptPolicy

    init(
        _ configuration: VaultConfiguration,
        token: CancellationToken,
        storedKeys: [SecretBytes],
        acceptsRollback: Bool
    ) {
        self.token = token
        self.storedKeys = storedKeys
        let limits: DerivationBudget.Limits? = configuration.allowsCostlyKeyDerivation ? nil : .vault
        budget = DerivationBudget(limits, token)
        self.acceptsRollback = configuration.acceptsRollback || acceptsRollback
        promptPolicy = configuration.promptPolicy
    }

    /// Calls `body`, which may wait for a user: the call's deadline is later by the time that the prompt policy grants.
    func asking<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        guard promptPolicy.mode != .never else { return try body() }
        return try token.extended(by: promptPolicy.promptTimeout, body)
    }
}
