// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitClient

/// Renewals of one login by several programs that share its file, for which several sessions stand.
final class SharedRenewalTests: SessionTestCase {
    /// Returns sessions that have restored the login of alice.
    private func restored(_ count: Int) async throws -> [LoginSession] {
        var sessions: [LoginSession] = []
        for _ in 0..<count {
            let session = try session()
            try await session.restore()
            sessions.append(session)
        }
        return sessions
    }

    /// Sends a request with each session at once, and returns the errors.
    private func sendAtOnce(_ sessions: [LoginSession]) async -> [ClientError] {
        await withTaskGroup(of: ClientError?.self) { group in
            for session in sessions {
                group.addTask { await failure { _ = try await session.send(.data) } }
            }
            var errors: [ClientError] = []
            for await error in group {
                if let error { errors.append(error) }
            }
            return errors
        }
    }

    func testProgramsThatWaitTakeTheLoginOfTheFirst() async throws {
        for count in [4, 16] {
            server.state.withLock { $0.sendsToken = true }
            _ = try await loggedIn()
            let sessions = try await restored(count)
            let before = server.loginCount
            server.expire()
            let errors = await sendAtOnce(sessions)
            XCTAssertEqual(errors, [])
            XCTAssertEqual(server.loginCount, before + 1)
            // What each saves at its end does not replace the new cookies.
            for session in sessions { try await session.flush() }
            _ = try await restored(1)[0].send(.data)
            XCTAssertEqual(server.loginCount, before + 1, "the renewed cookies should be saved")
        }
    }

    func testOldCookiesDoNotReplaceThoseOfARenewal() async throws {
        _ = try await loggedIn()
        let sessions = try await restored(2)
        server.expire()
        _ = try await sessions[0].send(.data)
        sessions[1].saveSoon()
        try await sessions[1].flush()
        _ = try await restored(1)[0].send(.data)
        XCTAssertEqual(server.loginCount, 2)
    }

    func testSavedLoginThatHasExpiredIsRenewedItself() async throws {
        _ = try await loggedIn()
        let sessions = try await restored(2)
        server.expire()
        _ = try await sessions[0].send(.data)
        XCTAssertEqual(server.loginCount, 2)
        server.expire()
        let user = try await sessions[1].value(of: .data).user
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 3)
        // The first one takes that.
        _ = try await sessions[0].send(.data)
        XCTAssertEqual(server.loginCount, 3)
    }

    func testRejectedPasswordIsTriedByOneProgram() async throws {
        _ = try await loggedIn()
        let sessions = try await restored(8)
        server.state.withLock { $0.passwords["alice"] = "wang" }
        server.expire()
        let errors = await sendAtOnce(sessions)
        XCTAssertEqual(errors, Array(repeating: .invalidCredentials, count: 8))
        XCTAssertEqual(server.loginCount, 2)
    }
}
