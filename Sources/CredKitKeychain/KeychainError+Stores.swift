// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension KeychainError {
    /// Calls a store, which may be a user's own and may throw any error.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - body: Calls it.
    /// - Returns: What `body` returned.
    /// - Throws: A ``KeychainError`` that the store has thrown, unchanged; ``cancelled`` for a `CancellationError`;
    ///   ``failed`` with the ``underlying`` error for every other, whose text is left out: it may contain a secret.
    static func wrapping<Value>(
        _ store: any CredentialStore,
        _ body: (any CredentialStore) async throws -> Value
    ) async throws(KeychainError) -> Value {
        do {
            return try await body(store)
        } catch let error as KeychainError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw KeychainError(
                .failed,
                message: "the store '\(store.name)' failed: \(type(of: error))",
                underlying: error
            )
        }
    }
}
