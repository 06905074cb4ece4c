// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

extension VaultStore {
    /// Returns the status of the vault without unlocking it.
    ///
    /// - Returns: The status.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if the header is damaged.
    public func status() async throws(KeychainError) -> VaultStatus {
        try await perform { (state, context) throws(KeychainError) in
            var read = try state.file.readHeader()
            var alarm = state.rollback.alarm(for: read?.header, read?.bytes)
            if alarm != nil {
                // Another program may have saved the vault between the two.
                alarm = try state.alarm(context)
                read = try state.file.readHeader()
            }
            let header = read?.header
            return VaultStatus(
                path: state.file.path,
                exists: header != nil,
                hasBackup: state.file.hasBackup,
                identifier: header.map { Hex.encode($0.identifier) },
                generation: header?.generation ?? 0,
                newestGenerationSeen: header.flatMap { state.rollback.mark(of: $0)?.generation },
                alarm: alarm?.code,
                slots: header?.slots.map(VaultSlot.init) ?? [],
                isKeyCached: header.map { VaultKeyCache.read(vaultIdentifier: $0.identifier) != nil } ?? false
            )
        }
    }

    /// Reads and checks every byte of the vault.
    ///
    /// - Returns: The number of items.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if anything is damaged.
    @discardableResult
    public func verify() async throws(KeychainError) -> Int {
        try await perform(.toUnlock) { (state, context) throws(KeychainError) in
            guard let vault = try state.current(context, isReadAnew: true) else {
                throw .notFound("there is no vault \(state.file.path)")
            }
            try vault.payload.verify()
            return vault.payload.count
        }
    }
}

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
