// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKitSystem
internal import CredKit

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
