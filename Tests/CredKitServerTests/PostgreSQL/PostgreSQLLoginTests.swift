// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitServer
import CredKitSystem
import CredKitTestSupport
import XCTest

/// Connections that a server does not permit.
final class PostgreSQLLoginTests: PostgreSQLTestCase {
    func testWrongPasswordsAreNamed() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        let right = PostgreSQLClient.password
        let table: [(String?, SharedStateError.Code?)] = [
            (right, nil), ("wrong", .loginFailed), (nil, .loginFailed),
        ]
        for (password, code) in table {
            let secret = try password.map { try SecretBytes(Array($0.utf8)) }
            let client = try client(port: server.port) { settings in
                let text = settings.connectionString.replacing("password=\(right)", with: "")
                // A file with passwords of the user who runs the tests must not count.
                settings.connectionString = text + " passfile=/nonexistent"
                settings.password = secret
            }
            let answer = try await client.answer()
            guard let code else {
                XCTAssertEqual(answer, .success([[.text("x")]]))
                continue
            }
            guard case .failure(let error) = answer else {
                XCTFail("\(password ?? "none") is accepted")
                continue
            }
            XCTAssertEqual(error, SharedStateError(code), "\(error)")
            XCTAssertFalse(error.description.contains("wrong"), "\(error)")
        }
        let absent = try client(port: server.port) { settings in
            settings.connectionString = settings.connectionString.replacing(
                "dbname=postgres",
                with: "dbname=absent"
            )
        }
        let error = try await absent.failure()
        XCTAssertEqual(error.code, .failed)
        XCTAssertTrue(error.description.contains("3D000"), "\(error)")
    }

    /// All threads together ask a server that refuses one at a time, and no more often than the pause permits.
    func testARefusingServerIsNotAskedTooOften() async throws {
        struct Attempts: Sendable { var all = 0, open = 0, most = 0 }
        let attempts = Lock(Attempts())
        let server = try FakePostgreSQL { connection in
            attempts.withLock { attempts in
                attempts.all += 1
                attempts.open += 1
                attempts.most = max(attempts.most, attempts.open)
            }
            _ = connection.read()
            attempts.withLock { $0.open -= 1 }
            let fields = ["SFATAL", "VFATAL", "C28P01", "Mpassword authentication failed for user \"app\""]
            connection.write(FakePostgreSQL.fields("E", fields))
        }
        let client = try client(port: server.port) { $0.threadCount = 8 }
        func fail() async throws {
            try await withThrowingTaskGroup(of: SharedStateError.self) { group in
                for _ in 0..<32 { group.addTask { try await client.failure() } }
                for try await error in group {
                    XCTAssertEqual(error, SharedStateError(.loginFailed), "\(error)")
                }
            }
        }
        try await fail()
        // The threads that did not know of the refusal have asked at the same time.
        XCTAssertLessThanOrEqual(attempts.withLock { $0.all }, 8)
        attempts.withLock { $0 = Attempts() }
        let started = ContinuousClock.now
        while attempts.withLock({ $0.all }) < 5 { try await fail() }
        XCTAssertEqual(attempts.withLock { $0.most }, 1)
        // Four pauses between the five, each of at least half of 20 milliseconds.
        XCTAssertGreaterThan(ContinuousClock.now - started, .milliseconds(40))
    }

    /// SQLSTATE decides, and not a text in the language of the server.
    func testRefusalsAreNamedInEveryLanguage() async throws {
        let table: [(state: String, code: SharedStateError.Code)] = [
            ("28P01", .loginFailed), ("28000", .loginFailed), ("53300", .overloaded), ("57P03", .loading),
            ("57P01", .disconnected), ("53200", .outOfSpace), ("42501", .notPermitted), ("3D000", .failed),
            ("XX000", .failed), ("08P01", .disconnected),
        ]
        for (state, code) in table {
            let server = try FakePostgreSQL { connection in
                _ = connection.read()
                let fields = [
                    "SSCHWERWIEGEND", "VFATAL", "C\(state)", "Mkein SSL: certificate", "Fauth.c", "L1", "Rf",
                ]
                connection.write(FakePostgreSQL.fields("E", fields))
            }
            let error = try await client(port: server.port).failure()
            XCTAssertEqual(error.code, code, "\(state): \(error)")
            XCTAssertEqual(error.description, "PostgreSQL answers \(state): kein SSL: certificate")
        }
    }

    func testAServerWithoutTLSIsRefused() async throws {
        for answer in ["N", "E", "x", "G"] {
            let following = Lock(0)
            let server = try FakePostgreSQL { connection in
                _ = connection.read()
                connection.write(Array(answer.utf8))
                connection.finishWriting()
                following.withLock { $0 += connection.read().count }
            }
            let client = try client(port: server.port) { settings in
                settings.connectionString =
                    "host=localhost hostaddr=127.0.0.1 port=\(server.port) user=app sslmode=verify-full"
            }
            let error = try await client.failure()
            XCTAssertEqual(error, SharedStateError(.untrustedServer), "\(answer): \(error)")
            XCTAssertEqual(following.withLock { $0 }, 0, answer)
        }
    }

    /// What arrives before TLS must not count as if it had been inside (CVE-2021-23222).
    func testPlainBytesBeforeTLSAreRefused() async throws {
        let server = try PostgreSQLServer(certificate: .ecdsaSHA256)
        try server.createRole()
        let port = server.port
        for injected in ["", "x"] {
            let relay = try FakePostgreSQL.relay(to: port) { before, piece in
                (before == 0 ? piece + Array(injected.utf8) : piece, true)
            }
            let client = try client(port: relay.port) { settings in
                settings.authorities = server.certificate?.path
                settings.connectionString = settings.connectionString
                    .replacing("host=127.0.0.1", with: "host=localhost hostaddr=127.0.0.1")
                    .replacing("sslmode=disable", with: "sslmode=verify-full")
            }
            guard !injected.isEmpty else {
                try await assertAnswers(client)
                continue
            }
            let error = try await client.failure()
            XCTAssertEqual(error, SharedStateError(.untrustedServer), "\(error)")
        }
    }
}
