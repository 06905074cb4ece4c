// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``OneTimeCodeCounterStore`` in PostgreSQL, for any number of servers. The counters never expire.
///
/// > Important: A failover to an asynchronous standby can lose the last counters: used codes of those accounts are valid again
/// > then. Set `synchronous_standby_names`. Codes by the time (TOTP) need no counter and are not affected.
public struct PostgreSQLCounterStore: OneTimeCodeCounterStore {
    private let engine: SQLEngine

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some SQLStatementRunner, configuration: SharedStateConfiguration) {
        self.init(SQLEngine(runner, configuration))
    }

    init(_ engine: SQLEngine) {
        self.engine = engine
    }

    /// Returns the counter of the next code that an account may use.
    ///
    /// - Parameter account: The account.
    /// - Returns: The counter; `nil` if none was stored.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func counter(of account: String) async throws -> UInt64? {
        let reply = try await engine.call(.counterOf, returning: 1, [engine.name(.counter, user: account)])
        switch try reply.row()[0] {
        case .null: return nil
        case .bytes(let bytes) where bytes.count == 8: return bytes.reduce(0) { $0 << 8 | UInt64($1) }
        default: throw SharedStateError(.malformedAnswer)
        }
    }

    /// Stores a counter if it is greater than the stored one.
    ///
    /// - Parameters:
    ///   - counter: The counter.
    ///   - account: The account.
    /// - Returns: Whether it was stored.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func advance(to counter: UInt64, of account: String) async throws -> Bool {
        // A column of type `bigint` could not hold every counter.
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
        return try await engine.call(
            .advance,
            returning: 1,
            [engine.name(.counter, user: account), .bytes(bytes)]
        )
        .flag()
    }
}
