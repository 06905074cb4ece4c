// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import CredKitSystem
import CredKitTestSupport
import XCTest

/// Connections that end in the middle of what the server says.
final class PostgreSQLCutReplyTests: PostgreSQLTestCase {
    private static let statement =
        #"SELECT 'x', 7::bigint, '\x0102'::bytea, NULL::text FROM generate_series(1, 3)"#
    private static let row: [SQLValue] = [.text("x"), .integer(7), .bytes([1, 2]), .null]

    func testEveryCutIsANamedError() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        let limit = Lock(Int.max)
        let total = Lock(0)
        let relay = try FakePostgreSQL.relay(to: server.port) { before, piece in
            total.withLock { $0 = max($0, before + piece.count) }
            let left = limit.withLock { $0 } - before
            return left > piece.count ? (piece, true) : (Array(piece.prefix(max(0, left))), false)
        }
        func answer(cutAfter count: Int) async throws -> Result<[[SQLValue]], SharedStateError> {
            limit.withLock { $0 = count }
            return try await client(port: relay.port).answer(Self.statement)
        }
        let rows = [[SQLValue]](repeating: Self.row, count: 3)
        let whole = try await answer(cutAfter: .max)
        XCTAssertEqual(whole, .success(rows))
        let count = total.withLock { $0 }
        // The answer to the statement is shorter than this.
        let login = count - 250
        XCTAssertGreaterThan(login, 0)
        for cut in Array(stride(from: 0, to: login, by: 7)) + Array(login..<count) {
            switch try await answer(cutAfter: cut) {
            case .success: XCTFail("cut after \(cut) of \(count)")
            case .failure(let error):
                XCTAssertEqual(error, SharedStateError(.disconnected), "\(cut) of \(count): \(error)")
            }
        }
        let last = try await answer(cutAfter: count)
        XCTAssertEqual(last, .success(rows))
    }

    /// Other bytes than PostgreSQL's.
    func testAnswersOfOtherProtocolsAreErrors() async throws {
        for text in [
            "HTTP/1.1 400 Bad Request\r\n\r\n", "-ERR unknown command\r\n", "\0", "R\0\0\0\0",
            "Z\0\0\0\u{5}I",
        ] {
            for isGreeted in [false, true] {
                let server = try FakePostgreSQL { connection in
                    if isGreeted { FakePostgreSQL.greet(connection) }
                    _ = connection.read()
                    connection.write(Array(text.utf8))
                }
                let answer = try await client(port: server.port).answer(within: .seconds(5))
                // A server that is ready has answered nothing: no rows.
                if isGreeted, text.hasPrefix("Z") { continue }
                guard case .failure(let error) = answer else {
                    XCTFail("\(text.debugDescription) \(isGreeted): \(answer)")
                    continue
                }
                XCTAssertEqual(error, SharedStateError(.disconnected), "\(text.debugDescription): \(error)")
            }
        }
    }
}
