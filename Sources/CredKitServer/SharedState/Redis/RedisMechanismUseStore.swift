// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A ``MechanismUseStore`` in Redis, for any number of servers. It takes about 100 bytes and the name of each account of a mechanism.
///
/// The names of the accounts are stored in plain text. An account is forgotten when it has not logged in by the mechanism for
/// the retention. The numbers of logins never expire.
public struct RedisMechanismUseStore: MechanismUseStore {
    private let engine: RedisEngine
    private let retention: Duration

    /// Creates a store that remembers an account for 400 days after its last login by a mechanism.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some RedisScriptRunner, configuration: SharedStateConfiguration) {
        self.init(RedisEngine(runner, configuration))
    }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    ///   - retention: How long an account is remembered after its last login by a mechanism, from 1 to 4000 days.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        _ runner: some RedisScriptRunner,
        configuration: SharedStateConfiguration,
        retention: Duration
    ) throws(LoginServerError) {
        try LoginServerError.check("the retention", retention, in: MechanismUseStorage.permittedRetentions)
        self.init(RedisEngine(runner, configuration), retention: retention)
    }

    init(_ engine: RedisEngine, retention: Duration = MechanismUseStorage.retention) {
        self.engine = engine
        self.retention = retention
    }

    /// Adds to the counts of a mechanism, in one atomic operation.
    ///
    /// - Parameter addition: What to add.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func add(_ addition: MechanismUse.Addition) async throws {
        func seconds(_ time: UnixTime) -> [UInt8] { Array(argument: MechanismUseStorage.seconds(time)) }
        let reply = try await engine.run(
            Self.adding,
            keys: totals + [accounts(of: addition.mechanism)],
            [
                Array(addition.mechanism.utf8), Array(argument: addition.logins), seconds(addition.lastUse),
                Array(argument: retention.components.seconds),
            ] + addition.accounts.flatMap { [Array($0.account.utf8), seconds($0.lastUse)] }
        )
        guard reply.word == "added" else { throw reply.isUnexpected }
    }

    /// Returns the use of each mechanism, in the order of their names.
    ///
    /// - Returns: The counts.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func counts() async throws -> [MechanismUse.Count] {
        let list = try await engine.run(Self.listing, keys: totals)
        guard list.word == "mechanisms", list.values.count.isMultiple(of: 3) else { throw list.isUnexpected }
        let indices = stride(from: 0, to: list.values.count, by: 3)
        let names = try indices.map { index in
            guard let name = String(validating: try list.bytes(index), as: UTF8.self) else {
                throw list.isUnexpected
            }
            return name
        }
        guard !names.isEmpty else { return [] }
        let sizes = try await engine.run(Self.counting, keys: names.map(accounts(of:)))
        guard sizes.word == "accounts", sizes.values.count == names.count else { throw sizes.isUnexpected }
        return try names.enumerated().map { number, name in
            MechanismUse.Count(
                mechanism: name,
                logins: Int(try list.integer(3 * number + 1)),
                accounts: Int(try sizes.integer(number)),
                lastUse: UnixTime(try list.integer(3 * number + 2))
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
        var next = MechanismUseStorage.seconds(start)
        while true {
            try Task.checkCancellation()
            let reply = try await engine.run(
                Self.reading,
                keys: [accounts(of: mechanism)],
                [Array(argument: next), Array(argument: MechanismUseStorage.pageSize)]
            )
            guard reply.word == "page" else { throw reply.isUnexpected }
            for index in reply.values.indices.dropFirst() { names.insert(try reply.bytes(index)) }
            let following = try reply.integer(0)
            if following < 0 { return MechanismUseStorage.sorted(names) }
            guard following > next else { throw reply.isUnexpected }
            next = following
        }
    }

    /// The mechanisms by their last login, and the numbers of logins.
    private var totals: [String] { ["\(engine.prefix)mechanisms", "\(engine.prefix)mechanismLogins"] }

    /// The accounts of a mechanism by their last login.
    private func accounts(of mechanism: String) -> String { engine.key(.mechanismAccount, user: mechanism) }
}
