// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension VaultStore {
    /// Accepts the vault as it is now at its path, after ``KeychainError/rollbackDetected``,
    /// ``KeychainError/vaultReplaced`` or ``KeychainError/vaultMissing``: an older copy, another vault, or none.
    ///
    /// An accepted copy is saved anew as the newest, so that the state that it replaces is an older copy from then on.
    /// Check first that the change is your own: whatever was stored since is lost.
    ///
    /// - Returns: What was accepted.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if the vault cannot be read: see ``repair()``.
    @discardableResult
    public func accept() async throws(KeychainError) -> VaultAcceptance {
        try await performUnlocked(acceptsRollback: true) { (state, context) throws(KeychainError) in
            let previous = state.rollback.identifierSeenHere
            guard let vault = try state.current(context) else {
                state.rollback.forgetPath()
                return VaultAcceptance(
                    path: state.file.path,
                    identifier: nil,
                    generation: nil,
                    itemCount: 0,
                    previousIdentifier: previous.map { Hex.encode($0) },
                    newestGenerationSeen: nil,
                    isChanged: previous != nil
                )
            }
            try vault.payload.verify()
            let seen = state.rollback.mark(of: vault.header)?.generation
            let isChanged = state.rollback.isChanged(vault)
            // Accepts what was verified, not what another program has put there since.
            if isChanged {
                try state.update(context) { (newest, _) throws(KeychainError) in
                    guard newest.headerBytes == vault.headerBytes else {
                        throw .busy("the vault was changed meanwhile; nothing was accepted, try again")
                    }
                    return true
                }
            }
            return VaultAcceptance(
                path: state.file.path,
                identifier: Hex.encode(vault.header.identifier),
                generation: vault.header.generation,
                itemCount: vault.payload.count,
                previousIdentifier: previous.map { Hex.encode($0) },
                newestGenerationSeen: seen,
                isChanged: isChanged
            )
        }
    }
}
