// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKitServer
internal import Glibc

extension PQConnection {
    /// Reads the answers of a pipeline, and returns that of its last statement, or the first error.
    func answer(to requests: [Request], _ deadline: Deadline) throws(SharedStateError) -> Outcome {
        var left = requests.count
        var outcome: Result<[[SQLValue]], SharedStateError> = .success([])
        var mistake: Mistake?
        while true {
            guard let result = try unsafe nextResult(deadline) else {
                // The end of a statement's answer. A server that sends more is not understood.
                left -= 1
                guard left >= 0 else { return Outcome(result: .failure(lost), isReusable: false) }
                continue
            }
            defer { unsafe libpq.PQclear(result) }
            switch unsafe libpq.PQresultStatus(result) {
            case Int32(CREDKIT_PQ_COMMAND_OK):
                // It exists even if the transaction fails.
                if left > 0, case .parse(let text, let name) = requests[requests.count - left] {
                    prepared?.add(text, named: name)
                }
            case Int32(CREDKIT_PQ_TUPLES_OK):
                if left == 1, case .success = outcome { outcome = unsafe .success(rows(result)) }
                if left > 0, case .execute(let statement, _) = requests[requests.count - left],
                    statement == Self.pin
                {
                    unsafe noteProcess(rows(result))
                }
            case Int32(CREDKIT_PQ_PIPELINE_SYNC):
                let isReusable = unsafe libpq.PQstatus(handle) == Int32(CREDKIT_PQ_OK)
                return Outcome(result: outcome, isReusable: isReusable, mistake: isReusable ? mistake : nil)
            case Int32(CREDKIT_PQ_PIPELINE_ABORTED):
                if case .success = outcome { outcome = .failure(lost) }
            default:
                let failure = unsafe failure(result)
                // Not an answer of the server, or the beginning of a COPY, which would never end.
                guard failure.sqlState != nil else {
                    return Outcome(result: .failure(failure), isReusable: false)
                }
                if case .success = outcome {
                    outcome = .failure(failure)
                    mistake =
                        unsafe left > 0
                        ? self.mistake(in: requests[requests.count - left], failure, result) : nil
                }
                // That of a commit, such as one that a deferred trigger refuses, has an end of its own.
                if left == 0 { left = 1 }
            }
        }
    }

    private func nextResult(_ deadline: Deadline) throws(SharedStateError) -> OpaquePointer? {
        while unsafe libpq.PQisBusy(handle) == 1 {
            guard wait(for: POLLIN, deadline) else { throw Self.late }
            guard unsafe libpq.PQconsumeInput(handle) == 1 else { throw lost }
        }
        return unsafe libpq.PQgetResult(handle)
    }

    /// Takes note of the process that has answered ``pin``: of the one that this connection was made to, or of another one.
    private func noteProcess(_ rows: [[SQLValue]]) {
        if rows.first?.last == .integer(Int64(unsafe libpq.PQbackendPID(handle))) {
            prepared?.isDirect = true
        } else {
            prepared = nil
        }
    }

    /// The mistake that an error shows: one of the server itself, and not of a function that the statement has called. Names of the
    /// server's own functions are in no other language.
    private func mistake(in request: Request, _ error: SharedStateError, _ result: OpaquePointer) -> Mistake?
    {
        func field(_ code: Int) -> String? {
            unsafe libpq.PQresultErrorField(result, Int32(code)).map { unsafe String(cString: $0) }
        }
        guard field(CREDKIT_PQ_CONTEXT) == nil else { return nil }
        switch (error.sqlState, request) {
        // Also a standby refuses serializable transactions.
        case ("25001", .execute(Self.pin, _)), ("0A000", .execute(Self.pin, _)),
            ("0A000", .parse(Self.pin.text, _)):
            return hasOtherIsolation ? nil : .isolation
        case ("26000", .execute(_, .some)) where field(CREDKIT_PQ_FUNCTION) == "FetchPreparedStatement":
            return .session
        case ("0A000", .execute(_, .some)) where field(CREDKIT_PQ_FUNCTION) == "RevalidateCachedQuery":
            return .columns
        default: return nil
        }
    }

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
