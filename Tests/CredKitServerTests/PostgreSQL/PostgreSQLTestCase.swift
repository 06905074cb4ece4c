// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import Foundation
import XCTest

/// Tests that run statements in a client.
class PostgreSQLTestCase: XCTestCase {
    /// A client of a server on 127.0.0.1.
    func client(
        port: Int,
        _ change: (inout PostgreSQLSettings) -> Void = { _ in }
    ) throws -> PostgreSQLClient {
        let password = PostgreSQLClient.password
        var settings = PostgreSQLSettings(
            "host=127.0.0.1 port=\(port) user=app password=\(password) dbname=postgres sslmode=disable"
        )
        change(&settings)
        return try PostgreSQLClient(settings)
    }

    /// Runs a statement that must succeed.
    func assertAnswers(_ client: PostgreSQLClient, line: UInt = #line) async throws {
        let answer = try await client.answer()
        XCTAssertEqual(answer, .success([[.text("x")]]), line: line)
    }

    /// Waits until a condition holds. Fails after a minute.
    func wait(for what: String, line: UInt = #line, until isTrue: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !isTrue() {
            guard ContinuousClock.now < end else {
                return XCTFail("waited in vain for \(what)", line: line)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

extension PostgreSQLClient {
    /// Runs a statement, and returns what became of it.
    func answer(
        _ text: String = "SELECT 'x'",
        _ parameters: [SQLValue] = [],
        within limit: Duration = .seconds(20)
    ) async throws -> Result<[[SQLValue]], SharedStateError> {
        do {
            return .success(try await run(SQLStatement("test", text), parameters: parameters, within: limit))
        } catch let error as SharedStateError {
            return .failure(error)
        }
    }

    /// Runs a statement that must fail, and returns the error.
    func failure(
        _ text: String = "SELECT 'x'",
        _ parameters: [SQLValue] = [],
        within limit: Duration = .seconds(20)
    ) async throws -> SharedStateError {
        switch try await answer(text, parameters, within: limit) {
        case .failure(let error): return error
        case .success(let rows): throw UnexpectedSuccess(rows: rows)
        }
    }

    private struct UnexpectedSuccess: Error { let rows: [[SQLValue]] }
}
