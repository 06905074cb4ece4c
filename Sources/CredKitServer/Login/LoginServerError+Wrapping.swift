// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginServerError {
    /// Throws if a value is outside a range.
    static func check<Value: Comparable>(
        _ name: String,
        _ value: Value,
        in range: ClosedRange<Value>
    ) throws(LoginServerError) {
        guard range.contains(value) else {
            throw LoginServerError(
                .invalidConfiguration,
                message: "\(name) is \(value), but must be from \(range.lowerBound) to \(range.upperBound)"
            )
        }
    }

    /// Calls an operation of a user's type, and wraps the errors that it throws.
    static func wrapping<Value>(
        _ message: String,
        code: Code = .storeFailed,
        _ operation: () async throws -> Value
    ) async throws(LoginServerError) -> Value {
        do {
            return try await operation()
        } catch let error as LoginServerError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw LoginServerError(code, message: message, underlying: error)
        }
    }
}
