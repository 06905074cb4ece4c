// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A ``MechanismUseStore`` in PostgreSQL, for any number of servers.
///
/// The names of the accounts are stored in plain text. ``PostgreSQLPurge`` forgets those that have not logged in by a mechanism for
/// long. The numbers of logins never expire.
public struct PostgreSQLMechanismUseStore: MechanismUseStore {
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

    /// Adds to the counts of a mechanism, in one atomic operation.
    ///
    /// - Parameter addition: What to add.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func add(_ addition: MechanismUse.Addition) async throws {
        let numbers = addition.accounts.map {
            "\($0.account.utf8.count),\(MechanismUseStorage.seconds($0.lastUse))"
        }
        try await engine.call(
            .addMechanismUse,
            [
                .bytes(of: addition.mechanism), .integer(Int64(addition.logins)),
                .integer(MechanismUseStorage.seconds(addition.lastUse)),
                .bytes(addition.accounts.flatMap { Array($0.account.utf8) }),
                .text(numbers.joined(separator: ",")),
            ]
        )
    }

    /// Returns the use of each mechanism, in the order of their names.
    ///
    /// - Returns: The counts.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func counts() async throws -> [MechanismUse.Count] {
        let reply = try await engine.call(.mechanismCounts, returning: 4, [])
        if reply.rows.count == 1, reply.rows[0].first == .null { return [] }
        return try reply.rows.map { row in
            let columns = Array(row)
            guard case .bytes(let bytes) = columns[0], let name = String(validating: bytes, as: UTF8.self),
                case .integer(let logins) = columns[1], case .integer(let accounts) = columns[2],
                case .integer(let lastUse) = columns[3]
            else { throw SharedStateError(.malformedAnswer) }
            return MechanismUse.Count(
                mechanism: name,
                logins: Int(logins),
                accounts: Int(accounts),
                lastUse: UnixTime(lastUse)
            )
        }
        .sorted { $0.mechanism < $1.mechanism }
    }

    /// Returns the accounts that have logged in by a mechanism, in as many steps as it takes.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism.
    ///   - start: The time from which on logins count.
    /// - Returns: The names of the accounts in the table, sorted, each once.
    /// - Throws: ``SharedStateError``, `CancellationError`, and what the client throws.
    public func accounts(using mechanism: String, since start: UnixTime) async throws -> [String] {
        // An account that logs in meanwhile moves to a later page, so that none is missed.
        var names: Set<[UInt8]> = []
        var (time, key) = (MechanismUseStorage.seconds(start), [UInt8]())
        while true {
            try Task.checkCancellation()
            let reply = try await engine.call(
                .accountsUsing,
                returning: 3,
                [.bytes(of: mechanism), .integer(time), .bytes(key), .integer(MechanismUseStorage.pageSize)]
            )
            if reply.rows.count == 1, reply.rows[0].first == .null { break }
            for row in reply.rows {
                let columns = Array(row)
                guard case .bytes(let name) = columns[0], case .integer(let lastUse) = columns[1],
                    case .bytes(let nameKey) = columns[2], lastUse >= time, nameKey.count == 32
                else { throw SharedStateError(.malformedAnswer) }
                names.insert(name)
                (time, key) = (lastUse, nameKey)
            }
            if reply.rows.count < Int(MechanismUseStorage.pageSize) { break }
        }
        return MechanismUseStorage.sorted(names)
    }
}
