// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A store of passkeys, whose errors are wrapped.
struct CheckedPasskeyStore: Sendable {
    private let store: any PasskeyStore

    init(_ store: any PasskeyStore) {
        self.store = store
    }

    /// Calls the store.
    func call<Value>(
        _ operation: (any PasskeyStore) async throws -> Value
    ) async throws(LoginServerError) -> Value {
        try await LoginServerError.wrapping("the store of passkeys failed") { try await operation(store) }
    }
}
