// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``ChallengeStore`` in PostgreSQL, for any number of servers. A crash or a failover forgets all challenges, so clients need
/// new ones then.
///
/// The number of challenges is limited for each client, but not in all: limit the requests of each address with a
/// ``RateLimiter``.
public struct PostgreSQLChallengeStore: ChallengeStore {
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

    /// Remembers a challenge that was issued to a client.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge.
    ///   - client: The key of the client.
    ///   - lifetime: The time after which the challenge is expired and forgotten.
    ///   - perClientLimit: The maximum number of remembered challenges of this client, at least 1.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func remember(
        _ challenge: String,
        of client: StoreKey,
        lifetime: Duration,
        perClientLimit: Int
    ) async throws {
        try await engine.call(
            .remember,
            [
                engine.name(.client, client), .bytes(of: challenge), .microseconds(lifetime),
                .integer(Int64(max(1, perClientLimit))),
            ]
        )
    }

    /// Returns the challenges of a client.
    ///
    /// - Parameter client: The key of the client.
    /// - Returns: The challenges that have neither expired nor been consumed, the oldest first.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func challenges(of client: StoreKey) async throws -> [String] {
        let reply = try await engine.call(.challengesOf, returning: 1, [engine.name(.client, client)])
        if reply.rows.count == 1, reply.rows[0].first == .null { return [] }
        return try reply.rows.map { row in
            guard case .bytes(let bytes) = row.first, let text = String(validating: bytes, as: UTF8.self)
            else {
                throw SharedStateError(.malformedAnswer)
            }
            return text
        }
    }

    /// Removes a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge.
    ///   - client: The key of the client that it was issued to.
    /// - Returns: Whether the challenge was remembered and has not expired.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func consume(_ challenge: String, of client: StoreKey) async throws -> Bool {
        try await engine.call(
            .consume,
            returning: 1,
            [engine.name(.client, client), .bytes(of: challenge)]
        )
        .flag()
    }
}
