// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Keychain {
    /// Returns the properties of items that a store would not keep.
    ///
    /// - Parameters:
    ///   - credentials: The items, as their current store returns them.
    ///   - target: The store that would receive them.
    /// - Returns: The losses, in the order of the items.
    /// - Throws: ``KeychainError`` if the target is a Secret Service that does not answer.
    public static func losses(
        moving credentials: [Credential],
        to target: any CredentialStore
    ) async throws(KeychainError) -> [FieldLoss] {
        guard target.capabilities.contains(.persistent) else { return [] }
        var daemon: SecretServiceDaemon?
        if let service = target as? SecretServiceStore { daemon = try await service.status().daemon }
        var losses: [FieldLoss] = []
        for credential in credentials {
            let item = credential.item
            var limitations = StoreLimitation.times.filter { limitation in
                (limitation.field == .created ? item.created : item.modified) != nil
            }
            if let daemon, let type = daemon.contentTypeLimitation(of: credential) {
                limitations.append(type)
            }
            if daemon != nil, item.key.isFor(.git) || item.key.isFor(.docker) { limitations.append(.helper) }
            losses += limitations.map { FieldLoss(item: item, limitation: $0) }
        }
        return losses
    }
}
