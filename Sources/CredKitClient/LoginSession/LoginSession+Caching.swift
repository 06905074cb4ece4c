// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginSession {
    /// Removes the stored responses of an endpoint with its parameters, except those to requests with `Authorization` or
    /// cookies of the program's own: unsigned ones, and those that the endpoint's signer or the session's has signed.
    ///
    /// - Parameter endpoint: The endpoint.
    /// - Throws: ``ClientError/storage`` if the files cannot be removed in time.
    public func removeCached<Value>(_ endpoint: Endpoint<Value>) async throws(ClientError) {
        guard let cache else { return }
        let url = try url(of: endpoint)
        let signers = Set([endpoint.signer, configuration.signer].compactMap { $0?.identity })
        try await cache.removeAll(at: CacheLocation.all(of: account, signers: signers, url: url))
    }

    /// Removes all stored responses. A logout does this, too.
    ///
    /// - Throws: ``ClientError/storage`` if the files cannot be removed in time.
    public func removeAllCached() async throws(ClientError) { try await cache?.removeAll() }

    /// Returns the size of the stored responses in bytes.
    ///
    /// - Returns: The size in memory and that of the files; 0 without a cache.
    /// - Throws: ``ClientError/storage`` if the files cannot be counted in time.
    public func cachedByteCounts() async throws(ClientError) -> (memory: Int, disk: Int) {
        try await cache?.sizes() ?? (0, 0)
    }

    /// Uses the folder of a session's key from now on.
    func openCache(with key: SessionKey) async {
        guard let cache else { return }
        await cache.open(with: key)
        // A logout of another process may have removed it a moment ago. It removes the session file first.
        let contents = try? await file().read(key: key)
        if contents == nil { try? await cache.removeAll(andFolderOf: key) }
    }

    /// Removes the stored responses of a session key, also if another process has stored them.
    func removeStoredResponses(of key: SessionKey?) async throws(ClientError) {
        if let cache { return try await cache.removeAll(andFolderOf: key) }
        try await ResponseCache(configuration.cache ?? .standard).removeAll(andFolderOf: key)
    }
}
