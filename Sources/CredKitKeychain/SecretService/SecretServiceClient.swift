// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The implementation of ``SecretServiceStore``, in builds that have one.
protocol SecretServiceCalls: Sendable {
    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential?
    func set(_ credential: Credential) async throws(KeychainError)
    func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool
    func items(service: String?) async throws(KeychainError) -> [CredentialItem]
    func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem]
    func update(_ changes: [CredentialChange]) async throws(KeychainError)
    func lock() async throws(KeychainError)
    func unlock() async throws(KeychainError)
    func status() async throws(KeychainError) -> SecretServiceStatus
}

#if SecretService
/// The store on the bus with a given address.
struct SecretServiceClient: SecretServiceCalls, CredentialStore {
    let name = SecretServiceStore.name
    let capabilities = SecretServiceStore.capabilities
    let address: BusAddress
    let collection: String?
    let schema: SecretServiceSchema
    let promptPolicy: PromptPolicy

    /// Runs an operation on the unlocked collection.
    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (ServiceCollection) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        try await runLocked { collection throws(KeychainError) in
            try collection.ensureUnlocked()
            return try body(collection)
        }
    }

    /// Runs an operation on the collection, without unlocking it.
    private func runLocked<Value: Sendable>(
        _ body: @escaping @Sendable (ServiceCollection) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        let (name, schema) = (collection, schema)
        return try await SecretServiceConnection.to(address.text).run(promptPolicy) {
            service throws(KeychainError) in
            try body(ServiceCollection.find(name, in: service, schema: schema))
        }
    }

    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try await run { collection throws(KeychainError) in
            let found = try collection.candidates(for: key)
            guard let index = try Self.choose(key, among: found) else { return nil }
            return try collection.credential(of: found[index])
        }
    }

    func set(_ credential: Credential) async throws(KeychainError) {
        try credential.check()
        _ = try await run { collection throws(KeychainError) in
            try collection.set(credential, isUndone: false)
        }
    }

    func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        try await run { collection throws(KeychainError) in
            if case .nothing = try collection.delete(key, isUndone: false) { return false }
            return true
        }
    }

    func items(service: String?) async throws(KeychainError) -> [CredentialItem] {
        let key = CredentialKey(service: service ?? "", account: nil)
        return try await run { collection throws(KeychainError) in
            try collection.items(with: schema.query(for: key))
                .filter { service == nil ? !$0.service.isEmpty : $0.service == service }
                .sortedForPeople()
        }
    }

    func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        let key = CredentialKey(allAttributes: attributes)
        return try await run { collection throws(KeychainError) in
            try collection.items(with: schema.query(for: key)).filter { $0.key.matches(attributes) }
                .sortedForPeople()
        }
    }

    func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        for case .set(let credential) in changes { try credential.check() }
        var done: [ServiceCollection.Undo] = []
        do {
            for change in changes {
                done.append(
                    try await run { collection throws(KeychainError) in
                        switch change {
                        case .set(let credential): try collection.set(credential, isUndone: true)
                        case .delete(let key): try collection.delete(key, isUndone: true)
                        }
                    }
                )
            }
        } catch {
            // Runs in its own task, which is not cancelled with this one.
            let changes = done.reversed()
            await Task {
                for change in changes {
                    do throws(KeychainError) {
                        try await run { collection throws(KeychainError) in try collection.undo(change) }
                    } catch {
                        // A service that does not answer would take the full timeout for each change.
                        if error.isOfTheWholeStore { return }
                    }
                }
            }.value
            throw error
        }
    }

    func lock() async throws(KeychainError) {
        try await runLocked { collection throws(KeychainError) in try collection.lock() }
    }

    func unlock() async throws(KeychainError) {
        try await run { _ throws(KeychainError) in }
    }

    func status() async throws(KeychainError) -> SecretServiceStatus {
        let (name, schema, source) = (collection, schema, address.source)
        return try await SecretServiceConnection.to(address.text).run(promptPolicy) {
            service throws(KeychainError) in
            let all = try service.collections()
            var status = SecretServiceStatus(
                busSource: source,
                owner: service.connection.owner,
                process: try service.processNumber().flatMap(KeyringFile.name(ofProcess:)),
                collection: nil,
                collectionLabels: all.map { path, properties in
                    properties["Label"]?.text.flatMap { $0.isEmpty ? nil : $0 }
                        ?? ServiceCollection.lastPart(of: path)
                }.sorted()
            )
            do throws(KeychainError) {
                let own = try ServiceCollection.find(name, in: service, schema: schema)
                if let properties = try service.properties(of: own.path, "Collection") {
                    status.collection = SecretServiceStatus.Collection(
                        path: own.path,
                        label: properties["Label"]?.text ?? "",
                        isLocked: properties["Locked"]?.isTrue == true,
                        hasNoPassword: try own.hasNoPassword()
                    )
                }
            } catch {
                guard error == .noDefaultCollection else { throw error }
            }
            return status
        }
    }
}
#endif
