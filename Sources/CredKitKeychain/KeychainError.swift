// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The reason why a keychain operation failed.
///
/// A missing item is not an error: a query for it returns `nil`. An error means that a query could not be answered, or
/// that a change was not made.
///
/// Two errors are equal when their codes are equal, so that they can be caught by name:
///
/// ```swift
/// do {
///     password = try await keychain.password(service: "com.example.app", account: "alice")
/// } catch .locked {
///     …
/// } catch where error.code == .timedOut {
///     log(error.message)
/// } catch {
///     …
/// }
/// ```
///
/// CredKit's own errors contain no secrets. They name services, accounts and files.
public struct KeychainError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Distinguishes errors with the same code that CredKit handles differently.
    package enum Detail: Sendable {
        /// ``Code/noPassphrase``: no source provides a passphrase or key. Without this detail, a source has failed.
        case noSource
        /// ``Code/timedOut``: the deadline of the call has passed. Without this detail, something else timed out, which
        /// the message names.
        case deadline
    }

    /// Apart from the value, so that an error is as large as a pointer and can get further properties.
    private final class Storage: Sendable {
        let code: Code
        let message: String
        let candidates: [String]
        let underlying: (any Error)?
        let detail: Detail?

        init(
            _ code: Code,
            _ message: String,
            _ candidates: [String],
            _ underlying: (any Error)?,
            _ detail: Detail?
        ) {
            self.code = code
            self.message = message
            self.candidates = candidates
            self.underlying = underlying
            self.detail = detail
        }
    }

    private let storage: Storage

    /// Creates an error, for a ``CredentialStore`` of your own, and for tests of code that handles errors.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What failed, on what, why, and what to do, for people. It must contain no secret.
    ///   - candidates: The matching items, if the code is ``Code/ambiguous``.
    ///   - underlying: The error that caused this one, if there is one.
    public init(
        _ code: Code,
        message: String,
        candidates: [String] = [],
        underlying: (any Error)? = nil
    ) {
        storage = Storage(code, message, candidates, underlying, nil)
    }

    /// Creates an error that CredKit distinguishes from others with the same code.
    init(_ code: Code, message: String, detail: Detail) {
        storage = Storage(code, message, [], nil, detail)
    }

    /// What went wrong.
    public var code: Code { storage.code }

    /// What failed, on what, why, and what to do, for people.
    public var message: String { storage.message }

    /// The matching items of an ``ambiguous`` error, each with its label and its location in the store.
    public var candidates: [String] { storage.candidates }

    /// The error that caused this one, if there is one: what a ``CredentialStore`` of your own has thrown.
    public var underlying: (any Error)? { storage.underlying }

    /// What distinguishes the error from others with the same code, if CredKit handles it differently.
    package var detail: Detail? { storage.detail }

    /// The message.
    public var description: String { message }

    /// Whether the error affects the whole store, so that the next call would fail too.
    var isOfTheWholeStore: Bool {
        [.noBus, .noService, .noDefaultCollection, .locked, .dismissed, .timedOut].contains(code)
    }

    /// Returns whether both errors have the same code; their messages may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

// Errors of stores, which may be a user's own and may throw any error.
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
