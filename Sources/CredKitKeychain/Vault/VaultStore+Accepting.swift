// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension VaultStore {
    /// Accepts the vault as it is now at its path, after ``KeychainError/rollbackDetected``,
    /// ``KeychainError/vaultReplaced`` or ``KeychainError/vaultMissing``: an older copy, another vault, or none.
    ///
    /// An accepted copy is saved anew as the newest, so that the state that it replaces is an older copy from then on. A
    /// backup that is newer than an accepted copy, or of another vault, is kept under another name.
    /// Check first that the change is your own: items that were stored since are lost.
    ///
    /// - Returns: What was accepted.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if the vault cannot be read: see ``repair()``.
    @discardableResult
    public func accept() async throws(KeychainError) -> VaultAcceptance {
        try await perform(.toUnlock, acceptsRollback: true) { (state, context) throws(KeychainError) in
            let previous = state.rollback.identifierSeenHere
            guard let vault = try state.current(context, isReadAnew: true) else {
                try state.forgetPath(context)
                return VaultAcceptance(
                    path: state.file.path,
                    identifier: nil,
                    generation: nil,
                    itemCount: 0,
                    previousIdentifier: previous.map { Hex.encode($0) },
                    newestGenerationSeen: nil,
                    keptFile: nil,
                    isChanged: previous != nil
                )
            }
            try vault.payload.verify()
            let seen = state.rollback.mark(of: vault.header)?.generation
            let isChanged = state.rollback.isChanged(vault)
            if isChanged { try state.accept(vault, context) }
            return VaultAcceptance(
                path: state.file.path,
                identifier: Hex.encode(vault.header.identifier),
                generation: vault.header.generation,
                itemCount: vault.payload.count,
                previousIdentifier: previous.map { Hex.encode($0) },
                newestGenerationSeen: seen,
                keptFile: isChanged ? state.keptFile : nil,
                isChanged: isChanged
            )
        }
    }
}
