// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

extension SerialThread {
    /// Runs a call of the keychain; see ``run(deadline:orThrow:_:)``.
    func run<Value: Sendable>(
        deadline: Duration,
        _ body: @escaping @Sendable (CancellationToken) -> Result<Value, KeychainError>
    ) async throws(KeychainError) -> Value {
        try await run(deadline: deadline, orThrow: { KeychainError($0) }, body)
    }
}

extension CancellationToken {
    /// Checks that the caller still waits.
    ///
    /// - Throws: ``KeychainError/timedOut``, ``KeychainError/cancelled``.
    func check() throws(KeychainError) {
        if let failure { throw KeychainError(failure) }
    }
}
