// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKitServer
internal import Glibc

extension PQConnection {
    /// What a statement has returned, or why it failed, and whether the connection can be used for another one.
    struct Outcome {
        let result: Result<[[SQLValue]], SharedStateError>
        var isReusable: Bool
        /// Whether the server may still run the statement.
        var isUnfinished = false
        var mistake: Mistake?
    }

    /// What the session of the server was taken for, and is not.
    enum Mistake {
        /// One whose transactions are at READ COMMITTED by default.
        case isolation
        /// The one that has parsed a statement.
        case session
        /// One that still answers a statement in the columns of before.
        case columns
    }

    /// Whether the server has neither closed the connection since the last statement, nor said that it will: it says so first, and
    /// libpq would read that alone. Notices and changed settings can arrive as well, but are rare.
    var isAlive: Bool { poll(for: POLLIN, milliseconds: 0) == 0 }

    /// Without schemas that other roles may create in, so that no name in a statement finds something of theirs, such as an
    /// operator for more exact types (CVE-2018-1058). It counts until the transaction ends, so that a pool of connections, which
    /// gives each transaction another one, has no use for a setting of the session.
    ///
    /// The isolation lets statements see what is committed while they wait for a lock. A query can only confirm it: if another one
    /// is the default, this fails. The last column is the number of the server process.
    static let pin = SQLStatement.Condition(
        """
        SELECT pg_catalog.set_config('transaction_isolation', 'read committed', true), \
        pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.pg_backend_pid()::pg_catalog.int8
        """
    )

    /// Before ``pin``, where another isolation is the default. PostgreSQL obeys it, but 15 warns in its log that the first statement
    /// of a pipeline is in no transaction. It has nothing to plan.
    private static let readCommitted = SQLStatement.Condition(
        "SET LOCAL transaction_isolation = 'read committed'",
        isUnique: true
    )

    /// Begins a transaction that later pipelines continue.
    private static let reading = SQLStatement.Condition(
        "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY"
    )

    /// Lets a cursor follow an index. Sorting a large table before its first row can take longer than a statement may.
    private static let followsIndex = SQLStatement.Condition("SET LOCAL cursor_tuple_fraction = 0")

    /// Back to the search path of the role, from the path of the conditions, which are always pinned.
    private static let unpin = SQLStatement.Condition("SET LOCAL search_path TO DEFAULT")

    /// Runs a statement, and returns when the server is ready for the next one: what it changed is committed then.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - parameters: Its parameters.
    ///   - conditions: Statements before it, in the same transaction: it does not run unless each of them succeeds.
    ///   - isPinned: Whether names without a schema are found in `pg_catalog` alone, and not in the search path of the role.
    ///   - deadline: When to give up.
    /// - Returns: What became of it.
    func run(
        _ text: String,
        _ parameters: [SQLValue],
        conditions: [SQLStatement.Condition] = [],
        isPinned: Bool,
        deadline: Deadline
    ) -> Outcome {
        let statement = SQLStatement.Condition(text, parameters)
        // Without any, it is one that continues a transaction.
        guard isPinned || !conditions.isEmpty else { return run([statement], areKept: false, deadline) }
        let rest = (isPinned ? conditions : conditions + [Self.unpin]) + [statement]
        // One transaction, and one round trip: the server commits at the end of the pipeline.
        func attempt() -> Outcome {
            run((hasOtherIsolation ? [Self.readCommitted] : []) + [Self.pin] + rest, areKept: true, deadline)
        }
        var outcome = attempt()
        var isGivenUp = false
        // None is made twice, and the statement has not begun to run.
        while let mistake = outcome.mistake {
            switch mistake {
            case .isolation: hasOtherIsolation = true
            case .session: prepared = nil
            case .columns:
                prepared = PreparedStatements()
                // It would keep the old ones.
                isGivenUp = true
            }
            guard deadline > .now else { return Outcome(result: .failure(Self.late), isReusable: !isGivenUp) }
            outcome = attempt()
        }
        if isGivenUp { outcome.isReusable = false }
        return outcome
    }

    /// Begins a transaction that only reads, and declares a cursor in it. ``run(_:_:conditions:isPinned:deadline:)`` continues the
    /// transaction, without conditions.
    ///
    /// - Parameters:
    ///   - cursor: The name of the cursor.
    ///   - query: The query, without parameters. It runs with the pinned search path.
    ///   - conditions: Statements before it, in the same transaction: it is not planned unless each of them succeeds.
    ///   - deadline: When to give up.
    /// - Returns: What became of it.
    func declare(
        _ cursor: String,
        for query: String,
        conditions: [SQLStatement.Condition],
        deadline: Deadline
    ) -> Outcome {
        let declaration = SQLStatement.Condition("DECLARE \(cursor) NO SCROLL CURSOR FOR \(query)")
        return run(
            [Self.reading, Self.pin] + conditions + [Self.followsIndex, declaration],
            areKept: false,
            deadline
        )
    }

    /// What the server is asked for, each with an answer of its own.
    enum Request {
        case parse(String, name: String)
        case execute(SQLStatement.Condition, name: String?)
    }

    /// Sends statements in one pipeline. Those that are kept get names, if the session is that of this connection alone.
    private func run(_ statements: [SQLStatement.Condition], areKept: Bool, _ deadline: Deadline)
        -> Outcome
    {
        let hasNUL = statements.contains { statement in
            statement.text.utf8.contains(0) || statement.parameters.contains(where: \.hasNUL)
        }
        guard !hasNUL else {
            let error = SharedStateError(
                .failed,
                message: "a text contains NUL, which PostgreSQL cannot store"
            )
            return Outcome(result: .failure(error), isReusable: true)
        }
        let requests = requests(for: statements, areKept: areKept)
        guard requests.allSatisfy(send), unsafe libpq.PQpipelineSync(handle) == 1
        else {
            return Outcome(result: .failure(lost), isReusable: false)
        }
        do throws(SharedStateError) {
            try flush(deadline)
            return try answer(to: requests, deadline)
        } catch {
            return Outcome(result: .failure(error), isReusable: false, isUnfinished: error.code == .timedOut)
        }
    }

    private func requests(for statements: [SQLStatement.Condition], areKept: Bool) -> [Request] {
        var names: [String: String] = [:]
        var requests: [Request] = []
        for statement in statements {
            let text = statement.text
            var name: String?
            if areKept, !statement.isUnique {
                name = prepared?.name(of: text) ?? names[text]
                if name == nil, let new = prepared?.newName(besides: names.count) {
                    requests.append(.parse(text, name: new))
                    names[text] = new
                    name = new
                }
            }
            requests.append(.execute(statement, name: name))
        }
        return requests
    }

    /// Puts a request into the buffer. Without types of parameters, the statement names them. Bytes are sent as they are, and
    /// the answer is binary.
    private func send(_ request: Request) -> Bool {
        switch request {
        case .parse(let text, let name): return unsafe libpq.PQsendPrepare(handle, name, text, 0, nil) == 1
        case .execute(let statement, let name):
            let parameters = statement.parameters
            let lengths = parameters.map(\.parameterLength)
            let formats = parameters.map(\.parameterFormat)
            let count = Int32(parameters.count)
            return unsafe CStrings.with(parameters.map(\.parameterBytes)) { values in
                if let name {
                    unsafe libpq.PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
                } else {
                    unsafe libpq.PQsendQueryParams(
                        handle,
                        statement.text,
                        count,
                        nil,
                        values,
                        lengths,
                        formats,
                        1
                    ) == 1
                }
            }
        }
    }

    /// Writes the buffer to the socket. The server may answer, and stop to read, before it has everything.
    private func flush(_ deadline: Deadline) throws(SharedStateError) {
        while true {
            switch unsafe libpq.PQflush(handle) {
            case 0: return
            case 1: break
            default: throw lost
            }
            guard wait(for: POLLIN | POLLOUT, deadline) else { throw Self.late }
            guard unsafe libpq.PQconsumeInput(handle) == 1 else { throw lost }
        }
    }

    static let late = SharedStateError(
        .timedOut,
        message: "the PostgreSQL server did not answer a statement in time"
    )
}
