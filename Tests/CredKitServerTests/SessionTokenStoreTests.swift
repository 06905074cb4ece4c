// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

final class SessionTokenStoreTests: XCTestCase {
    private let now: Int64 = 1_471_428_000

    private func sessions(_ configure: (inout SessionTokenStore.Configuration) -> Void = { _ in }) throws
        -> SessionTokenStore
    {
        var configuration = SessionTokenStore.Configuration()
        configure(&configuration)
        return try SessionTokenStore(configuration: configuration)
    }

    private func issue(_ sessions: SessionTokenStore, _ user: String = "alice", at time: Int64? = nil) throws
        -> String
    {
        try XCTUnwrap(sessions.issue(for: user, at: time ?? now)).text
    }

    func testTokenIdentifiesItsUserUntilItExpires() throws {
        let sessions = try sessions { ($0.lifetime, $0.idleLifetime) = (100, 40) }
        let token = try issue(sessions)
        for second in [0, 39, 78, 99] {
            XCTAssertEqual(sessions.user(of: token, at: now + Int64(second)), "alice", "\(second)")
        }
        XCTAssertNil(sessions.user(of: token, at: now + 100))
        // A token that was found expired stays expired, even if the clock goes back.
        XCTAssertNil(sessions.user(of: token, at: now))
        XCTAssertEqual(sessions.count, 0)
        let idle = try issue(sessions)
        XCTAssertNil(sessions.user(of: idle, at: now + 40))
    }

    func testTokensAreLongAndRandomAndNotPrinted() throws {
        let sessions = try sessions { $0.perUserLimit = 100 }
        let tokens = try (0..<100).map { _ in try XCTUnwrap(sessions.issue(for: "alice", at: now)) }
        XCTAssertEqual(Set(tokens.map(\.text)).count, 100)
        for token in tokens {
            XCTAssertEqual(try Base64.urlSafe.unpadded.decode(token.text).count, 32)
            var printed = "\(token)\(String(reflecting: token))"
            dump(token, to: &printed)
            XCTAssertFalse(printed.contains(token.text))
        }
        var everything = ""
        dump(sessions, to: &everything)
        XCTAssertFalse(tokens.contains { everything.contains($0.text) })
    }

    func testInvalidTokensAreRefused() throws {
        let sessions = try sessions()
        let token = try issue(sessions)
        let others = [
            "", "alice", String(token.dropLast()), token + "A", token.uppercased(), String(token.reversed()),
            String(repeating: "A", count: 43), String(repeating: "x", count: 1 << 20),
        ]
        for other in others {
            XCTAssertNil(sessions.user(of: other, at: now))
            sessions.revoke(other)
        }
        XCTAssertEqual(sessions.user(of: token, at: now), "alice")
    }

    func testTokensAreRevokedSinglyAndByUser() throws {
        let sessions = try sessions()
        let tokens = try (0..<4).map { _ in try issue(sessions) }
        let other = try issue(sessions, "bob")
        sessions.revoke(tokens[0])
        XCTAssertEqual(tokens.map { sessions.user(of: $0, at: now) }, [nil, "alice", "alice", "alice"])
        sessions.revokeAll(of: "alice")
        XCTAssertEqual(tokens.compactMap { sessions.user(of: $0, at: now) }, [])
        XCTAssertEqual(sessions.user(of: other, at: now), "bob")
        XCTAssertEqual(sessions.count, 1)
    }

    func testFullUserLosesOnlyTheirOldestToken() throws {
        let sessions = try sessions { ($0.perUserLimit, $0.limit) = (3, 5) }
        let other = try issue(sessions, "bob")
        let tokens = try (0..<100).map { _ in try issue(sessions) }
        XCTAssertEqual(
            tokens.map { sessions.user(of: $0, at: now) != nil }.suffix(4),
            [false, true, true, true]
        )
        XCTAssertEqual(sessions.user(of: other, at: now), "bob")
        XCTAssertEqual(sessions.count, 4)
        _ = try issue(sessions, "carol")
        // A full table accepts no new session until one expires; existing sessions stay valid.
        XCTAssertNil(sessions.issue(for: "dave", at: now))
        XCTAssertNotNil(sessions.issue(for: "alice", at: now))
        XCTAssertEqual(sessions.user(of: other, at: now), "bob")
        XCTAssertNotNil(sessions.issue(for: "dave", at: now + 3600))
        XCTAssertEqual(sessions.count, 1)
    }

    func testLifetimesOutOfRangeAreRefused() throws {
        let changes: [(inout SessionTokenStore.Configuration) -> Void] = [
            { $0.lifetime = 0 }, { $0.lifetime = .max }, { $0.idleLifetime = -1 }, { $0.perUserLimit = 0 },
            { $0.limit = 0 },
        ]
        for change in changes {
            XCTAssertThrowsError(try sessions(change)) {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration)
            }
        }
        let sessions = try sessions()
        for time in [Int64.min, .max] { _ = sessions.issue(for: "a", at: time) }
    }
}
