// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import Glibc

/// A connection to a PostgreSQL server. One thread at a time uses it.
final class PostgreSQLConnection: @unchecked Sendable {
    private let library: LibPQ
    private let handle: OpaquePointer
    /// Whether no statement is unfinished.
    private(set) var isReusable = true

    /// Connects.
    init(to connection: String, _ library: LibPQ) throws {
        var settings = [("connect_timeout", "10"), ("tcp_user_timeout", "20000"), ("keepalives_idle", "10")]
        if getenv("PGSSLMODE") == nil,
            !ConnectionText.isLocal(connection, environmentHost: Self.environmentHost)
        {
            settings.append(("sslmode", "verify-full"))
        }
        // Those before the connection string are defaults, and those after it are not.
        settings += [
            ("dbname", connection), ("client_encoding", "UTF8"),
            ("fallback_application_name", "credkit upgrade"),
        ]
        let handle = Self.withTexts(settings.map(\.0)) { names in
            Self.withTexts(settings.map(\.1)) { values in library.connect(names, values, 1) }
        }
        guard let handle else {
            throw SharedStateError(.outOfSpace, message: "there is not enough memory to connect")
        }
        guard library.status(handle) == LibPQ.connectionIsGood else {
            let message = Self.line(library.connectionError(handle))
            library.close(handle)
            throw SharedStateError(Self.code(message), message: message)
        }
        // Notices would be printed.
        _ = library.setNoticeReceiver(handle, { _, _ in }, nil)
        (self.library, self.handle) = (library, handle)
    }

    deinit { library.close(handle) }

    private static var environmentHost: String? { getenv("PGHOST").map { String(cString: $0) } }

    /// Returns the kind of error that a failed attempt to connect is of. libpq has only a message for it.
    private static func code(_ message: String) -> SharedStateError.Code {
        let isRefusal = ["authentication failed", "no password supplied", "pg_hba.conf", "certificate"]
            .contains {
                message.contains($0)
            }
        if isRefusal { return .loginFailed }
        return message.contains("starting up") ? .loading : .disconnected
    }

    /// Returns a message in one line.
    private static func line(_ text: UnsafePointer<CChar>?) -> String {
        (text.map { String(cString: $0) } ?? "").split(separator: "\n").map { $0.filter { $0 != "\t" } }
            .joined(separator: "; ")
    }

    /// Runs a statement.
    func run(_ text: String, _ parameters: [SQLValue], deadline: ContinuousClock.Instant) throws
        -> [[SQLValue]]
    {
        isReusable = false
        let isSent = Self.withTexts(parameters.map(\.parameterText)) { values in
            // Without types of parameters, the statement names them. The answer is binary.
            library.send(handle, text, Int32(parameters.count), nil, values, nil, nil, 1) == 1
        }
        guard isSent else { throw lost }
        var rows: [[SQLValue]] = []
        var failure: SharedStateError?
        while let result = try nextResult(deadline) {
            defer { library.clear(result) }
            switch library.resultStatus(result) {
            case LibPQ.commandSucceeded: break
            case LibPQ.rowsFollow: rows = self.rows(result)
            default: failure = failure ?? error(result)
            }
        }
        isReusable = library.status(handle) == LibPQ.connectionIsGood
        if let failure { throw isReusable || failure.sqlState != nil ? failure : lost }
        return rows
    }

    /// Waits for the next result; `nil` if there is no further one.
    private func nextResult(_ deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while library.isBusy(handle) == 1 {
            let left = max(.zero, deadline - .now) / .milliseconds(1)
            var entry = pollfd(fd: library.socket(handle), events: Int16(POLLIN), revents: 0)
            let count = poll(&entry, 1, Int32(min(left.rounded(.up), 60_000)))
            guard count > 0 || count < 0 && errno == EINTR else {
                throw SharedStateError(.timedOut, message: "the server did not answer a statement in time")
            }
            guard library.consumeInput(handle) == 1 else { throw lost }
        }
        return library.result(handle)
    }

    private var lost: SharedStateError {
        SharedStateError(.disconnected, message: Self.line(library.connectionError(handle)))
    }

    private func error(_ result: OpaquePointer) -> SharedStateError {
        guard let state = library.errorField(result, Int32(UInt8(ascii: "C"))) else { return lost }
        // The primary message alone: the detail can contain stored values.
        return SharedStateError(
            sqlState: String(cString: state),
            message: Self.line(library.errorField(result, Int32(UInt8(ascii: "M"))))
        )
    }

    private func rows(_ result: OpaquePointer) -> [[SQLValue]] {
        let columnCount = library.columnCount(result)
        return (0..<max(0, library.rowCount(result))).map { row in
            (0..<max(0, columnCount)).map { column in
                guard library.isNull(result, row, column) == 0, let start = library.value(result, row, column)
                else {
                    return .null
                }
                let count = Int(library.length(result, row, column))
                return SQLValue(
                    Array(UnsafeBufferPointer(start: start, count: max(0, count))),
                    type: library.type(result, column)
                )
            }
        }
    }

    /// Calls `body` with texts that end in NUL, and a null pointer after the last one.
    private static func withTexts<Value>(_ texts: [String?], _ body: (LibPQ.Texts) -> Value) -> Value {
        let copies = texts.map { $0.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: texts.count + 1) {
            pointers in
            for (index, copy) in copies.enumerated() {
                pointers.initializeElement(at: index, to: copy.map { UnsafePointer($0) })
            }
            pointers.initializeElement(at: texts.count, to: nil)
            // A buffer with at least one element has an address.
            return body(UnsafePointer(pointers.baseAddress.unsafelyUnwrapped))
        }
    }
}
