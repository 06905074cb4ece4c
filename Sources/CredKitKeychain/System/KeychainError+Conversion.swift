// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKitSystem
internal import CredKit

/// Errors of the system.
extension KeychainError {
    /// The keychain's error for a failed system call.
    package init(_ error: SystemError) {
        self =
            switch error.kind {
            case .notFound: .notFound(error.description)
            case .denied: .denied(error.description)
            case .insecureFile: .insecureFile(error.description)
            case .outOfMemory: .outOfMemory
            case .inputOutput: .inputOutput(error.description)
            }
    }

    /// The keychain's error for a call that ended without a result.
    init(_ failure: CallFailure) {
        self =
            switch failure {
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .noThread: .outOfMemory
            }
    }

    /// The error for a value of `errno`; see ``SystemError``.
    static func system(_ errorNumber: Int32, _ operation: String) -> Self {
        Self(SystemError(errorNumber, operation))
    }
}

/// Errors of stores, which may be a user's own and may throw any error.
extension KeychainError {
    /// The keychain's error for one that a store has thrown: a ``KeychainError`` unchanged; ``cancelled`` for a
    /// `CancellationError`; ``failed`` with the ``underlying`` error for every other, whose text is left out: it may
    /// contain a secret.
    init(_ error: any Error, of store: any CredentialStore) {
        switch error {
        case let error as KeychainError: self = error
        case is CancellationError: self = .cancelled
        default:
            self = KeychainError(
                .failed,
                message: "the store '\(store.name)' failed: \(type(of: error))",
                underlying: error
            )
        }
    }

    /// Calls a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - body: Calls it.
    /// - Returns: What `body` returned.
    /// - Throws: The keychain's error for what the store has thrown.
    static func wrapping<Value>(
        _ store: any CredentialStore,
        _ body: (any CredentialStore) async throws -> Value
    ) async throws(KeychainError) -> Value {
        do {
            return try await body(store)
        } catch {
            throw KeychainError(error, of: store)
        }
    }
}

/// Evaluates `body`, which needs guarded memory, and translates its error.
func convertingMemory<Value>(
    _ body: @autoclosure () throws(SecretMemoryError) -> Value
) throws(KeychainError) -> Value {
    do throws(SecretMemoryError) {
        return try body()
    } catch {
        throw KeychainError(.outOfMemory, message: KeychainError.outOfMemory.message, underlying: error)
    }
}

/// Evaluates `body` and translates its error.
func converting<Value: ~Copyable>(
    _ body: @autoclosure () throws(SystemError) -> Value
) throws(KeychainError) -> Value {
    do throws(SystemError) {
        return try body()
    } catch {
        throw KeychainError(error)
    }
}
