// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitServer

final class SessionTokenStoreTests: XCTestCase {
    private let clock = ManualClock()

    private func sessions(
        limit: Int = 65_536,
        _ configure: (inout SessionLimits) -> Void = { _ in }
    ) throws -> (sessions: SessionTokenStore, store: InMemorySessionStore) {
        var limits = SessionLimits()
        configure(&limits)
        let store = try InMemorySessionStore(limit: limit, clock: clock)
        return (try SessionTokenStore(limits: limits, store: store), store)
    }

    private func issue(_ sessions: SessionTokenStore, _ user: String = "alice") async throws -> String {
        let token = try await sessions.issue(for: user)
        return try XCTUnwrap(token).text
    }

    private func users(of tokens: [String], _ sessions: SessionTokenStore) async throws -> [String?] {
        var users: [String?] = []
        for token in tokens { users.append(try await sessions.user(of: token)) }
        return users
    }

    func testTokenIdentifiesItsUserUntilItExpires() async throws {
        let (sessions, store) = try sessions {
            ($0.lifetime, $0.idleLifetime) = (.seconds(100), .seconds(40))
        }
        let token = try await issue(sessions)
        for seconds in [0, 39, 39, 21] {
            clock.advance(by: .seconds(seconds))
            let user = try await sessions.user(of: token)
            XCTAssertEqual(user, "alice", "\(seconds)")
        }
        clock.advance(by: .seconds(1))
        var user = try await sessions.user(of: token)
        XCTAssertNil(user)
        XCTAssertEqual(store.count, 0)
        let idle = try await issue(sessions)
        clock.advance(by: .seconds(40))
        user = try await sessions.user(of: idle)
        XCTAssertNil(user)
    }

    func testTokensAreLongAndRandomAndNotPrinted() async throws {
        let (sessions, store) = try sessions { $0.perUserLimit = 100 }
        var tokens: [SessionToken] = []
        for _ in 0..<100 {
            let token = try await sessions.issue(for: "alice")
            tokens.append(try XCTUnwrap(token))
        }
        XCTAssertEqual(Set(tokens.map(\.text)).count, 100)
        for token in tokens {
            XCTAssertEqual(try Base64.urlSafe.unpadded.decode(token.text).count, 32)
            var printed = "\(token)\(String(reflecting: token))"
            dump(token, to: &printed)
            XCTAssertFalse(printed.contains(token.text))
        }
        var everything = ""
        dump(sessions, to: &everything)
        dump(store, to: &everything)
        XCTAssertFalse(tokens.contains { everything.contains($0.text) })
    }

    func testInvalidTokensAreRefused() async throws {
        let (sessions, _) = try sessions()
        let token = try await issue(sessions)
        let others = [
            "", "alice", String(token.dropLast()), token + "A", token.uppercased(), String(token.reversed()),
            String(repeating: "A", count: 43), String(repeating: "x", count: 1 << 20),
        ]
        for other in others {
            let user = try await sessions.user(of: other)
            XCTAssertNil(user)
            try await sessions.revoke(other)
        }
        let user = try await sessions.user(of: token)
        XCTAssertEqual(user, "alice")
    }

    func testTokensAreRevokedSinglyAndByUser() async throws {
        let (sessions, store) = try sessions()
        var tokens: [String] = []
        for _ in 0..<4 { tokens.append(try await issue(sessions)) }
        let other = try await issue(sessions, "bob")
        try await sessions.revoke(tokens[0])
        var users = try await users(of: tokens, sessions)
        XCTAssertEqual(users, [nil, "alice", "alice", "alice"])
        try await sessions.revokeAll(of: "alice")
        XCTAssertEqual(store.count, 1)
        users = try await self.users(of: tokens + [other], sessions)
        XCTAssertEqual(users, [nil, nil, nil, nil, "bob"])
        XCTAssertEqual(store.count, 1)
    }

    func testSessionsAreListedAndEndedByReference() async throws {
        let (sessions, _) = try sessions()
        let first = try await issue(sessions)
        clock.advance(by: .seconds(60))
        let second = try await issue(sessions)
        let bobs = try await issue(sessions, "bob")
        clock.advance(by: .seconds(30))
        _ = try await sessions.user(of: second)
        clock.advance(by: .seconds(10))
        let listed = try await sessions.sessions(of: "alice", current: first)
        XCTAssertEqual(listed.map(\.age), [.seconds(40), .seconds(100)])
        XCTAssertEqual(listed.map(\.idle), [.seconds(10), .seconds(100)])
        XCTAssertEqual(listed.map(\.isCurrent), [false, true])
        for session in listed {
            XCTAssertTrue(session.reference.count == 16 && session.reference.allSatisfy(\.isHexDigit))
            for token in [first, second] {
                XCTAssertFalse("\(session)".contains(token))
                XCTAssertFalse(SessionTokenStore.key(of: token).hex.contains(session.reference))
            }
        }
        let other = try await sessions.sessions(of: "bob", current: first)
        XCTAssertEqual(other.map(\.isCurrent), [false])
        for token in [nil, "", String(repeating: "A", count: 43), String(repeating: "x", count: 1 << 20)] {
            let none = try await sessions.sessions(of: "alice", current: token)
            XCTAssertEqual(none.map(\.isCurrent), [false, false])
        }
        // A reference of another user, a token, a prefix, and other texts end nothing.
        let reference = listed[0].reference
        for text in [
            other[0].reference, second, String(reference.dropLast()), reference.uppercased() + " ", "",
        ] {
            let isEnded = try await sessions.revoke(reference: text, of: "alice")
            XCTAssertFalse(isEnded, text)
        }
        var isEnded = try await sessions.revoke(reference: reference, of: "bob")
        XCTAssertFalse(isEnded)
        isEnded = try await sessions.revoke(reference: reference, of: "alice")
        XCTAssertTrue(isEnded)
        isEnded = try await sessions.revoke(reference: reference, of: "alice")
        XCTAssertFalse(isEnded)
        let users = try await users(of: [first, second, bobs], sessions)
        XCTAssertEqual(users, ["alice", nil, "bob"])
    }

    func testAllSessionsButOneEnd() async throws {
        let (sessions, store) = try sessions {
            ($0.lifetime, $0.idleLifetime) = (.seconds(100), .seconds(100))
        }
        let tokens = [try await issue(sessions), try await issue(sessions), try await issue(sessions)]
        let bobs = try await issue(sessions, "bob")
        clock.advance(by: .seconds(60))
        try await sessions.revokeOthers(of: "alice", retaining: tokens[1])
        var users = try await users(of: tokens + [bobs], sessions)
        XCTAssertEqual(users, [nil, "alice", nil, "bob"])
        XCTAssertEqual(store.count, 2)
        // Its lifetime is not prolonged.
        clock.advance(by: .seconds(40))
        users = try await self.users(of: tokens, sessions)
        XCTAssertEqual(users, [nil, nil, nil])
        // A token of another user, and texts that are no tokens, keep nothing.
        for kept in [try await issue(sessions, "bob"), "", "x"] {
            let token = try await issue(sessions)
            try await sessions.revokeOthers(of: "alice", retaining: kept)
            let user = try await sessions.user(of: token)
            XCTAssertNil(user)
        }
    }

    func testRevokedSessionsMakeRoomAndStayRevoked() throws {
        var table = SessionTable(limit: 8)
        let limits = SessionLimits()
        func key(_ number: Int) -> StoreKey { StoreKey("\(number)") }
        for number in 0..<8 {
            XCTAssertTrue(table.create(key(number), of: "alice", limits: limits, at: .zero))
        }
        table.removeAll(of: "alice")
        XCTAssertEqual(table.count, 0)
        XCTAssertEqual(table.userCount, 0)
        // The entries are removed when room is needed, also twice at the same time.
        XCTAssertTrue(table.create(key(8), of: "alice", limits: limits, at: .zero))
        XCTAssertEqual(table.entryCount, 1)
        for number in 0..<8 { XCTAssertNil(table.use(key(number), at: .zero)) }
        for number in 9..<16 {
            XCTAssertTrue(table.create(key(number), of: "bob", limits: limits, at: .zero))
        }
        table.removeAll(of: "bob")
        XCTAssertTrue(table.create(key(16), of: "carol", limits: limits, at: .zero))
        XCTAssertEqual(table.use(key(8), at: .zero), "alice")
        XCTAssertEqual(table.count, 2)
    }

    func testFullUserLosesOnlyTheirOldestToken() async throws {
        let (sessions, store) = try sessions(limit: 5) { $0.perUserLimit = 3 }
        let other = try await issue(sessions, "bob")
        var tokens: [String] = []
        for _ in 0..<100 { tokens.append(try await issue(sessions)) }
        let left = try await users(of: tokens.suffix(4), sessions)
        XCTAssertEqual(left, [nil, "alice", "alice", "alice"])
        var user = try await sessions.user(of: other)
        XCTAssertEqual(user, "bob")
        XCTAssertEqual(store.count, 4)
        _ = try await issue(sessions, "carol")
        // A full table accepts no new session until one expires; existing sessions stay valid.
        var token = try await sessions.issue(for: "dave")
        XCTAssertNil(token)
        token = try await sessions.issue(for: "alice")
        XCTAssertNotNil(token)
        user = try await sessions.user(of: other)
        XCTAssertEqual(user, "bob")
        clock.advance(by: .seconds(3600))
        token = try await sessions.issue(for: "dave")
        XCTAssertNotNil(token)
        XCTAssertEqual(store.count, 1)
    }

    func testLimitsOutOfRangeAreRefused() throws {
        let changes: [(inout SessionLimits) -> Void] = [
            { $0.lifetime = .zero }, { $0.lifetime = .seconds(Int64.max) },
            { $0.idleLifetime = .seconds(-1) },
            { $0.perUserLimit = 0 },
        ]
        for change in changes {
            XCTAssertThrowsError(try sessions(change)) {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration)
            }
        }
        XCTAssertThrowsError(try InMemorySessionStore(limit: 0))
    }
}
