// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A PostgreSQL server, as the stores in it use it: names, time limits, clocks and strict rows.
struct SQLEngine: Sendable {
    /// The rows of a statement, whose first column is the engine's time.
    struct Reply: Sendable {
        /// The time of this server's clock before the statement was sent.
        let sent: Duration
        /// The engine's time since 1970.
        let time: Duration
        /// The columns after the time; at least one row, and as many columns as were asked for.
        let rows: [ArraySlice<SQLValue>]

        /// The columns of the only row.
        func row() throws(SharedStateError) -> [SQLValue] {
            guard rows.count == 1, let row = rows.first else { throw SharedStateError(.malformedAnswer) }
            return Array(row)
        }

        /// The only column of the only row, which is 0 or 1.
        func flag() throws(SharedStateError) -> Bool {
            switch try row() {
            case [.integer(0)]: return false
            case [.integer(1)]: return true
            default: throw SharedStateError(.malformedAnswer)
            }
        }
    }

    let runner: any SQLStatementRunner
    let names: StoredNames
    let clock: EngineClock
    let timeLimit: Duration
    private let schema: BoundSchema

    var namespace: String { schema.namespace }

    init(
        _ runner: some SQLStatementRunner,
        _ configuration: SharedStateConfiguration,
        clock: EngineClock? = nil
    ) {
        self.runner = runner
        names = StoredNames(configuration)
        self.clock = clock ?? EngineClock(permittedDifference: configuration.permittedClockDifference)
        timeLimit = configuration.timeLimit
        schema = BoundSchema(namespace: configuration.namespace)
    }

    /// Returns the name under which something is stored.
    func name(_ kind: StoredNames.Kind, _ key: StoreKey) -> SQLValue { .bytes(names.name(kind, key)) }

    /// Returns the name under which something of a user is stored.
    func name(_ kind: StoredNames.Kind, user: String) -> SQLValue { .bytes(names.name(kind, user)) }

    /// Calls a function of the schema, and measures the difference of the clocks.
    ///
    /// - Parameters:
    ///   - function: The function.
    ///   - columnCount: The number of columns after the time.
    ///   - parameters: The parameters.
    /// - Returns: The reply.
    /// - Throws: ``SharedStateError``, and what the client throws.
    func call(
        _ function: SQLFunction,
        returning columnCount: Int,
        _ parameters: [SQLValue]
    ) async throws -> Reply {
        let sent = clock.now
        let statement = function.statement(in: namespace)
        let rows = try await EngineBudget.step(upTo: timeLimit) { limit in
            try await schema.run(statement, parameters: parameters, by: runner, within: limit)
        }
        guard let first = rows.first, case .integer(let time) = first.first, time >= 0,
            rows.allSatisfy({ $0.count == columnCount + 1 })
        else { throw SharedStateError(.malformedAnswer) }
        let reply = Reply(sent: sent, time: .microseconds(time), rows: rows.map { $0.dropFirst() })
        try clock.measure(engineTime: reply.time, sent: sent)
        return reply
    }

    /// Calls a function that returns nothing but the time.
    func call(_ function: SQLFunction, _ parameters: [SQLValue]) async throws {
        _ = try await call(function, returning: 0, parameters).row()
    }
}

extension SQLValue {
    /// The whole microseconds of a duration.
    static func microseconds(_ duration: Duration) -> Self { .integer(duration.clamped.microseconds) }

    /// The UTF-8 of a text. A column of type `text` could not hold every name.
    static func bytes(of text: String) -> Self { .bytes(Array(text.utf8)) }
}
