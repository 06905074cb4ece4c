// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``RateStore`` in PostgreSQL, for any number of servers. A crash or a failover may forget the attempts of the last second,
/// except those that must be shared: they are on the disk, and at a synchronous standby, before they are allowed.
///
/// An attempt over its limit neither writes nor waits for other attempts. The others of the same key wait for each other;
/// for the disk, only those that must be shared.
public struct PostgreSQLRateStore: RateStore {
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

    /// Counts an attempt for all keys, or for none.
    ///
    /// - Parameter charges: The keys, each of them once, with their limits.
    /// - Returns: Whether the attempt is allowed.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func charge(_ charges: [RateCharge]) async throws -> RateLimitResult {
        guard !charges.isEmpty else { return .allowed }
        let reply = try await engine.call(.charge, returning: 1, Self.parameters(charges, engine))
        guard case .integer(let wait) = try reply.row()[0] else { throw SharedStateError(.malformedAnswer) }
        return wait > 0 ? .limited(retryAfter: .microseconds(wait)) : .allowed
    }

    /// Forgets the attempts of a key.
    ///
    /// - Parameter key: The key.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func reset(_ key: StoreKey) async throws {
        try await engine.call(.reset, [engine.name(.rate, key)])
    }

    static func parameters(_ charges: [RateCharge], _ engine: SQLEngine) -> [SQLValue] {
        // The function takes the locks in this order.
        let named = charges.map { (name: engine.names.name(.rate, $0.key), limit: $0.limit) }
            .sorted { $0.name.lexicographicallyPrecedes($1.name) }
        return [
            .bytes(named.flatMap(\.name)),
            .text(named.map { "\($0.limit.interval),\($0.limit.burst)" }.joined(separator: ",")),
            .integer(charges.contains(where: \.mustBeShared) ? 1 : 0),
        ]
    }
}
