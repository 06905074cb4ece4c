// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

extension Keychain {
    /// Opens this user's keychain.
    ///
    /// The backend is chosen in this order: the one in the configuration; the one in the environment variable
    /// `CREDKIT_BACKEND` (`secret-service`, `vault`, or `auto`); the one that this account used before; the Secret
    /// Service if it answers and has a usable collection; otherwise the vault. ``selectionReason`` states which rule applied.
    ///
    /// If the backend used before is unavailable now, an error is thrown and no other backend is chosen. Otherwise the
    /// secrets would be split between two stores.
    ///
    /// - Parameter configuration: The backend and its settings.
    /// - Returns: The keychain. It may still be locked; the first call that needs it unlocks it.
    /// - Throws: ``KeychainError``.
    public static func open(
        _ configuration: KeychainConfiguration = KeychainConfiguration()
    ) async throws(KeychainError) -> Keychain {
        let (backend, reason, isNew) = try await choose(configuration)
        let secretService = SecretServiceStore(
            collection: configuration.secretServiceCollection,
            schema: configuration.secretServiceSchema,
            promptPolicy: configuration.promptPolicy
        )
        var vaultConfiguration = configuration.vault
        vaultConfiguration.promptPolicy = configuration.promptPolicy
        if let mode = configuration.vaultPromptMode {
            vaultConfiguration.promptPolicy.mode = mode
        }
        let vault = try VaultStore(vaultConfiguration)
        let store: any CredentialStore = backend == .vault ? vault : secretService
        let other: any CredentialStore = backend == .vault ? secretService : vault
        return Keychain(
            store: store,
            fallbacks: configuration.searchesFallbackStores ? [other] : [],
            reason: reason,
            choice: isNew && configuration.remembersBackend ? backend : nil
        )
    }

    /// Returns the backend, the reason for it, and whether it was chosen for the first time.
    private static func choose(
        _ configuration: KeychainConfiguration
    ) async throws(KeychainError) -> (KeychainBackend, reason: String, isNew: Bool) {
        if let backend = configuration.backend { return (backend, "it was selected explicitly", false) }
        if let name = Environment.value("CREDKIT_BACKEND"), name != "auto" {
            guard let backend = KeychainBackend(rawValue: name) else {
                throw .invalid("CREDKIT_BACKEND is '\(name)', but must be secret-service, vault or auto")
            }
            return (backend, "CREDKIT_BACKEND names it", false)
        }
        if let backend = try BackendChoice.read() {
            return (backend, "this account has used it before", false)
        }
        let secretService = SecretServiceStore(
            collection: configuration.secretServiceCollection,
            schema: configuration.secretServiceSchema,
            promptPolicy: configuration.promptPolicy
        )
        do throws(KeychainError) {
            try await secretService.checkIsUsable()
            return (.secretService, "the Secret Service answers and has a collection", true)
        } catch {
            guard error != .cancelled else { throw error }
            return (.vault, "the Secret Service cannot be used: \(error)", true)
        }
    }
}
