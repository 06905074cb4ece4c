// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKitServer
internal import Glibc

extension PQConnection {
    /// What a statement has returned, or why it failed, and whether the connection can be used for another one.
    struct Outcome {
        let result: Result<[[SQLValue]], SharedStateError>
        let isReusable: Bool
        /// Whether the server may still run the statement.
        var isUnfinished = false
    }

    /// Whether the server has neither closed the connection since the last statement, nor said that it will: it says so first, and
    /// libpq would read that alone. Notices and changed settings can arrive as well, but are rare.
    var isAlive: Bool { poll(for: POLLIN, milliseconds: 0) == 0 }

    /// Without schemas that other roles may create in, so that no name in a statement finds something of theirs, such as an
    /// operator for more exact types (CVE-2018-1058). It counts until the transaction ends, so that a pool of connections, which
    /// gives each transaction another one, has no use for a setting of the session.
    private static let pin = SQLStatement.Condition(
        "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)"
    )

    /// Lets conditions see what is committed while they wait for a lock. A role can have a stricter isolation by default.
    private static let present = SQLStatement.Condition("SET LOCAL transaction_isolation = 'read committed'")

    /// Like `present`, of a transaction that later pipelines continue. It must be the first statement of a pipeline.
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
        // One transaction, and one round trip: the server commits at the end of the pipeline.
        let checks = isPinned || conditions.isEmpty ? conditions : conditions + [Self.unpin]
        let beginning =
            (conditions.isEmpty ? [] : [Self.present]) + (isPinned || !conditions.isEmpty ? [Self.pin] : [])
        return run(beginning + checks + [SQLStatement.Condition(text, parameters)], deadline)
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
        return run([Self.reading, Self.pin] + conditions + [Self.followsIndex, declaration], deadline)
    }

    private func run(_ statements: [SQLStatement.Condition], _ deadline: Deadline) -> Outcome {
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
        guard statements.allSatisfy({ send($0.text, $0.parameters) }),
            unsafe libpq.PQpipelineSync(handle) == 1
        else {
            return Outcome(result: .failure(lost), isReusable: false)
        }
        do throws(SharedStateError) {
            try flush(deadline)
            return try answer(statementCount: statements.count, deadline)
        } catch {
            return Outcome(result: .failure(error), isReusable: false, isUnfinished: error.code == .timedOut)
        }
    }

    /// Reads the answers of a pipeline, and returns that of its last statement, or the first error.
    private func answer(statementCount: Int, _ deadline: Deadline) throws(SharedStateError) -> Outcome {
        var left = statementCount
        var outcome: Result<[[SQLValue]], SharedStateError> = .success([])
        while true {
            guard let result = try unsafe nextResult(deadline) else {
                // The end of a statement's answer. A server that sends more is not understood.
                left -= 1
                guard left >= 0 else { return Outcome(result: .failure(lost), isReusable: false) }
                continue
            }
            defer { unsafe libpq.PQclear(result) }
            switch unsafe libpq.PQresultStatus(result) {
            case Int32(CREDKIT_PQ_COMMAND_OK): break
            case Int32(CREDKIT_PQ_TUPLES_OK):
                if left == 1, case .success = outcome { outcome = unsafe .success(rows(result)) }
            case Int32(CREDKIT_PQ_PIPELINE_SYNC):
                return Outcome(
                    result: outcome,
                    isReusable: unsafe libpq.PQstatus(handle) == Int32(CREDKIT_PQ_OK)
                )
            case Int32(CREDKIT_PQ_PIPELINE_ABORTED):
                if case .success = outcome { outcome = .failure(lost) }
            default:
                let failure = unsafe failure(result)
                // Not an answer of the server, or the beginning of a COPY, which would never end.
                guard failure.sqlState != nil else {
                    return Outcome(result: .failure(failure), isReusable: false)
                }
                if case .success = outcome { outcome = .failure(failure) }
                // That of a commit, such as one that a deferred trigger refuses, has an end of its own.
                if left == 0 { left = 1 }
            }
        }
    }

    /// Puts a statement into the buffer. Without types of parameters, the statement names them. Bytes are sent as they are, and
    /// the answer is binary. The statement has no name, so that a pool of connections need not know it.
    private func send(_ text: String, _ parameters: [SQLValue]) -> Bool {
        let lengths = parameters.map(\.parameterLength)
        let formats = parameters.map(\.parameterFormat)
        return unsafe CStrings.with(parameters.map(\.parameterBytes)) { values in
            unsafe libpq.PQsendQueryParams(
                handle,
                text,
                Int32(parameters.count),
                nil,
                values,
                lengths,
                formats,
                1
            ) == 1
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

    private func nextResult(_ deadline: Deadline) throws(SharedStateError) -> OpaquePointer? {
        while unsafe libpq.PQisBusy(handle) == 1 {
            guard wait(for: POLLIN, deadline) else { throw Self.late }
            guard unsafe libpq.PQconsumeInput(handle) == 1 else { throw lost }
        }
        return unsafe libpq.PQgetResult(handle)
    }

    private static let late = SharedStateError(
        .timedOut,
        message: "the PostgreSQL server did not answer a statement in time"
    )

    private func rows(_ result: OpaquePointer) -> [[SQLValue]] {
        let columnCount = unsafe max(0, libpq.PQnfields(result))
        return (0..<max(0, unsafe libpq.PQntuples(result))).map { row in
            (0..<columnCount).map { column in
                guard unsafe libpq.PQgetisnull(result, row, column) == 0,
                    let start = unsafe libpq.PQgetvalue(result, row, column)
                else { return .null }
                let count = Int(unsafe libpq.PQgetlength(result, row, column))
                let bytes = unsafe UnsafeRawBufferPointer(start: start, count: max(0, count))
                return SQLValue(unsafe Array(bytes), type: unsafe libpq.PQftype(result, column))
            }
        }
    }
}
