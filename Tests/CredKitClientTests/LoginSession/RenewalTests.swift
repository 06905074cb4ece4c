// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitKeychain
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

/// Requests that meet an expired session share one login.
final class RenewalTests: SessionTestCase {
    func testThousandRequestsOfAnExpiredSessionShareOneLogin() async throws {
        let session = try await loggedIn()
        server.expire()
        let (answers, errors) = await sendAtOnce(1000, session)
        XCTAssertEqual(answers, 1000, "\(errors.prefix(3))")
        XCTAssertEqual(server.loginCount, 2)
        XCTAssertLessThanOrEqual(server.dataTries, 2000)
    }

    func testRejectedCredentialsAreTriedOnceForAThousandRequests() async throws {
        let session = try await loggedIn()
        server.state.withLock { $0.passwords["alice"] = "changed" }
        server.expire()
        let (answers, errors) = await sendAtOnce(1000, session)
        XCTAssertEqual(answers, 0)
        XCTAssertEqual(errors.filter { $0 == .invalidCredentials }.count, 1000)
        XCTAssertEqual(server.loginCount, 2)
        for _ in 0..<3 {
            let later = await failure { _ = try await session.send(.data) }
            XCTAssertEqual(later, .invalidCredentials)
        }
        XCTAssertEqual(server.loginCount, 2, "a rejected password should not be retried")

        // Until the password changes, here in the keychain, by another process.
        try await keychain.setSessionSecret("changed", service: "http://127.0.0.1:1", account: "alice")
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 3)
    }

    func testLaterProcessDoesNotRetryARejectedPassword() async throws {
        let session = try await loggedIn()
        server.state.withLock { $0.passwords["alice"] = "changed" }
        server.expire()
        _ = await failure { _ = try await session.send(.data) }
        try await session.flush()
        for _ in 0..<3 {
            let later = try self.session()
            let isRestored = try await later.restore()
            XCTAssertTrue(isRestored)
            let error = await failure { _ = try await later.send(.data) }
            XCTAssertEqual(error, .invalidCredentials)
        }
        XCTAssertEqual(server.loginCount, 2)
        try await keychain.setSessionSecret("changed", service: "http://127.0.0.1:1", account: "alice")
        let last = try self.session()
        try await last.restore()
        let user = try await last.value(of: .data).user
        XCTAssertEqual(user, "alice")
    }

    func testExplicitLoginClearsARejection() async throws {
        let session = try await loggedIn()
        server.state.withLock { $0.passwords["alice"] = "changed" }
        server.expire()
        let rejected = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(rejected, .invalidCredentials)
        try await session.logIn(username: "alice", password: "changed")
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        server.expire()
        let again = try await session.value(of: .data).user
        XCTAssertEqual(again, "alice", "the keychain should hold the new password")
    }

    func testUnavailableLoginEndpointFailsOnlyRequestsInFlight() async throws {
        for trouble: ScriptedTransport.Answer in [
            .failure(.noConnection), .json("{}", status: .serviceUnavailable),
            .json("{}", status: .tooManyRequests),
            .json("{}", status: .internalServerError), .json("no json"), .json("{}"),
            .redirect(to: "/elsewhere"),
        ] {
            let session = try await loggedIn()
            let before = server.loginCount
            server.expire()
            // Wait until all requests are in flight: one that begins after the failure may try again.
            let tries = server.dataTries
            server.script("/loginhmac.php") { [server] _ in
                while server.dataTries < tries + 100 { try? await Task.sleep(for: .milliseconds(1)) }
                return trouble
            }
            let (answers, errors) = await sendAtOnce(100, session)
            XCTAssertEqual(answers, 0)
            XCTAssertEqual(errors.count, 100)
            XCTAssertFalse(errors.contains(.invalidCredentials))
            XCTAssertEqual(server.loginCount, before + 1, "all requests in flight should share one login")
            server.script("/loginhmac.php", nil)
            let user = try await session.value(of: .data).user
            XCTAssertEqual(user, "alice")
        }
    }

    func testRefusedChallengeIsNotARejection() async throws {
        let session = try await loggedIn()
        server.expire()
        server.state.withLock { $0.challenge = "2016-08-17 11:07" }
        let refused = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(refused, .clockSkew)
        server.state.withLock { $0.challenge = "2016-08-17 10:01" }
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
    }

    func testAlwaysExpiredEndpointIsTriedTwicePerRequest() async throws {
        let session = try await loggedIn()
        // All requests are in flight before the first response: one that begins after the renewal may start another.
        server.script("/data") { [server] _ in
            while server.dataTries < 300 { try? await Task.sleep(for: .milliseconds(1)) }
            return .json("{}", status: .unauthorized)
        }
        let (answers, errors) = await sendAtOnce(300, session)
        XCTAssertEqual(answers, 0)
        XCTAssertEqual(errors.filter { $0 == .sessionExpired }.count, 300)
        XCTAssertLessThanOrEqual(server.dataTries, 600)
        XCTAssertEqual(server.loginCount, 2)
    }

    func testLoginItselfNeverStartsARenewal() async throws {
        let session = try session()
        server.script("/hmackey.php") { _ in .json("{}", status: .unauthorized) }
        let first = await failure { try await session.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(first, .unexpectedStatus)
        XCTAssertEqual(server.loginCount, 0)
        server.script("/hmackey.php", nil)
        server.script("/loginhmac.php") { _ in .json("{}", status: .unauthorized) }
        let second = await failure { try await session.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(second, .invalidCredentials)
        XCTAssertEqual(server.loginCount, 1)
    }

    func testRenewalWithoutASavedPasswordNeedsCredentials() async throws {
        let session = try session()
        try await session.logIn(username: "alice", password: "zhang", savesPassword: false)
        server.expire()
        let (_, errors) = await sendAtOnce(50, session)
        XCTAssertEqual(errors.filter { $0 == .reauthenticationRequired }.count, 50)
        XCTAssertEqual(server.loginCount, 1)
        let stored = try await password(of: "alice")
        XCTAssertNil(stored)
        let unsaved = try self.session(hasKeychain: false)
        try await unsaved.logIn(username: "alice", password: "zhang")
        server.expire()
        let needed = await failure { _ = try await unsaved.send(.data) }
        XCTAssertEqual(needed, .reauthenticationRequired)
    }

    func testExpiredResponseWithoutALoginIsReturned() async throws {
        let session = try session()
        let status = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(status, .unexpectedStatus)
        XCTAssertEqual(status?.statusCode, 401)
        XCTAssertEqual(server.loginCount, 0)
    }

    func testLoginIsRenewedButAStreamedBodyIsNotResent() async throws {
        let session = try await loggedIn()
        server.expire()
        let stream = HTTPRequestBody(streaming: HTTPResponseBody(Array("once".utf8)))
        let endpoint = Endpoint<WhoAmI>(.post, "/data", payload: .body(stream))
        let error = await failure { _ = try await session.send(endpoint) }
        XCTAssertEqual(error, .sessionExpired)
        XCTAssertEqual(server.dataTries, 1)
        XCTAssertEqual(server.loginCount, 2)
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 2)
    }
}
