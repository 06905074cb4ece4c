// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitKeychain
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

/// Races of other calls with a renewal in progress.
final class RenewalRaceTests: SessionTestCase {
    /// Blocks the renewal of a session at a gate, with requests waiting for it.
    private func renewing(
        _ session: LoginSession,
        _ count: Int = 3,
        in group: CancellationGroup? = nil
    ) async -> (gate: Gate, requests: [Task<ClientError?, Never>]) {
        let gate = Gate()
        server.expire()
        server.script("/loginhmac.php") { _ in
            await gate.pass()
            return nil
        }
        let before = server.dataTries
        let requests = (0..<count).map { _ in
            Task { await failure { _ = try await session.send(.data, in: group) } }
        }
        await gate.hasCome()
        await eventually { self.server.dataTries == before + count }
        return (gate, requests)
    }

    func testCancellingOneWaiterEndsNeitherTheRenewalNorTheOthers() async throws {
        let session = try await loggedIn()
        let (gate, requests) = await renewing(session)
        requests[0].cancel()
        let cancelled = await requests[0].value
        XCTAssertEqual(cancelled, .cancelled)
        gate.open()
        for request in requests[1...] {
            let error = await request.value
            XCTAssertNil(error)
        }
        XCTAssertEqual(server.loginCount, 2)
    }

    func testLoginFinishesAfterAllWaitersAreCancelled() async throws {
        let session = try await loggedIn()
        let group = CancellationGroup()
        let (gate, requests) = await renewing(session, in: group)
        group.cancelAll()
        for request in requests {
            let error = await request.value
            XCTAssertEqual(error, .cancelled)
        }
        gate.open()
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 2, "the login should complete although its waiters were cancelled")
    }

    func testLogoutCancelsARenewal() async throws {
        let session = try await loggedIn()
        let (gate, requests) = await renewing(session)
        // The gate stays closed: the logout itself cancels the login that waits there.
        try await session.logOut()
        for request in requests {
            let error = await request.value
            XCTAssertTrue(error == .cancelled || error == .sessionExpired, "\(String(describing: error))")
        }
        gate.open()
        XCTAssertNil(session.account)
        XCTAssertTrue(session.cookies.isEmpty)
        XCTAssertEqual(files, [])
        let all = try await keychain.allAccounts()
        XCTAssertEqual(all, [])
    }

    func testRequestIsNeverRetriedAsAnotherUser() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        server.expire()
        // Alice's request is in flight until bob is logged in; its late response says that she is logged out.
        server.script("/data/slow") { _ in
            await gate.pass()
            return .json("{}", status: .unauthorized)
        }
        let request = Task {
            await failure { _ = try await session.send(Endpoint<WhoAmI>.get("/data/slow")) }
        }
        await gate.hasCome()
        try await session.logIn(username: "bob", password: "li")
        server.script("/data/slow", nil)
        gate.open()
        let error = await request.value
        XCTAssertEqual(error, .sessionExpired)
        XCTAssertEqual(server.state.withLock { $0.dataUsers }, [], "no request should be sent as bob")
        XCTAssertEqual(session.account, "bob")
    }

    func testRedirectDoesNotMoveARequestToAnotherUser() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        server.script("/data/moved") { _ in
            await gate.pass()
            return .redirect(to: "/data")
        }
        let request = Task {
            await failure { _ = try await session.send(Endpoint<WhoAmI>.get("/data/moved")) }
        }
        await gate.hasCome()
        try await session.logIn(username: "bob", password: "li")
        gate.open()
        let error = await request.value
        XCTAssertEqual(error, .sessionExpired)
        XCTAssertEqual(server.state.withLock { $0.dataUsers }, [])
    }

    func testLoginOfTheSameUserResumesWaitingRequests() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        server.expire()
        server.script("/data/slow") { _ in
            await gate.pass()
            return .json("{}", status: .unauthorized)
        }
        let request = Task { try await session.value(of: Endpoint<WhoAmI>.get("/data/slow")).user }
        await gate.hasCome()
        try await session.logIn(username: "alice", password: "zhang")
        server.script("/data/slow", nil)
        gate.open()
        let user = try await request.value
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 2)
    }

    func testLoginOverridesARenewalOfAnotherUser() async throws {
        let session = try await loggedIn()
        let (gate, requests) = await renewing(session)
        let login = Task { await failure { try await session.logIn(username: "bob", password: "li") } }
        gate.open()
        let error = await login.value
        XCTAssertNil(error)
        XCTAssertEqual(session.account, "bob")
        for request in requests {
            // Either renewed and sent as alice before bob logged in, or refused.
            let error = await request.value
            XCTAssertTrue(error == nil || error == .sessionExpired, "\(String(describing: error))")
        }
        XCTAssertFalse(server.state.withLock { $0.dataUsers }.contains("bob"))
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "bob")
    }

    func testLateExpiredResponseOnlyRepeatsTheRequest() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        server.expire()
        server.script("/data/late") { _ in
            await gate.pass()
            return gate.count == 1 ? .json("{}", status: .unauthorized) : nil
        }
        let late = Task { try await session.value(of: Endpoint<WhoAmI>.get("/data/late")).user }
        await gate.hasCome()
        _ = try await session.send(.data)
        XCTAssertEqual(server.loginCount, 2)
        gate.open()
        let user = try await late.value
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 2, "the login should not be renewed twice")
    }

    func testCookiesOfALateResponseAreNotStored() async throws {
        server.state.withLock { $0.sendsToken = true }
        let session = try await loggedIn()
        let gate = Gate()
        server.script("/data/late") { _ in
            await gate.pass()
            return .json(#"{"user": "alice"}"#).addingHeader("Set-Cookie", "sid=stale")
                .addingHeader("x-auth-token", "stale").addingHeader("Set-Cookie", "other=stale")
        }
        let late = Task { await failure { _ = try await session.send(Endpoint<WhoAmI>.get("/data/late")) } }
        await gate.hasCome()
        server.expire()
        _ = try await session.send(.data)
        gate.open()
        let error = await late.value
        XCTAssertNil(error)
        XCTAssertEqual(session.cookies.map(\.value), ["cookie-secret-2"])
        XCTAssertEqual(session.state.withLock { $0.token?.text }, "token-secret-cookie-secret-2")

        // A cookie of the current login is kept.
        server.script("/data/fresh") { _ in
            .json(#"{"user": "alice"}"#).addingHeader("Set-Cookie", "other=1").addingHeader(
                "x-auth-token",
                "new"
            )
        }
        _ = try await session.send(Endpoint<WhoAmI>.get("/data/fresh"))
        XCTAssertEqual(Set(session.cookies.map(\.name)), ["sid", "other"])
        XCTAssertEqual(session.state.withLock { $0.token?.text }, "new")
    }

    func testConcurrentLoginsAreSerialized() async throws {
        let session = try session()
        let names = (0..<20).map { $0.isMultiple(of: 2) ? "alice" : "bob" }
        let passwords = ["alice": "zhang", "bob": "li"]
        await withTaskGroup(of: ClientError?.self) { group in
            for name in names {
                group.addTask {
                    await failure {
                        try await session.logIn(username: name, password: passwords[name] ?? "")
                    }
                }
            }
            for await error in group { XCTAssertNil(error) }
        }
        XCTAssertEqual(server.loginCount, 20)
        let account = session.account
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, account)
        let kept = try await LoginSession.savedSession(
            named: session.name,
            in: keychain,
            folder: folder + "/sessions"
        )
        XCTAssertEqual(kept?.account, account)
    }

    func testRequestOfACancelledTaskIsNotSent() async throws {
        let session = try await loggedIn()
        let task = Task { () async -> ClientError? in
            while !Task.isCancelled { await Task.yield() }
            return await failure { _ = try await session.send(.data) }
        }
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error, .cancelled)
        XCTAssertEqual(server.dataTries, 0)
    }

    func testUnusedSessionIsReleased() async throws {
        weak var gone: LoginSession?
        var ended = false
        do {
            let session = try await loggedIn()
            gone = session
            let events = session.events
            server.expire()
            _ = await sendAtOnce(20, session)
            try await session.flush()
            let rest = Task { for await _ in events {} }
            server.expire()
            _ = try await session.send(.data)
            try await session.flush()
            _ = consume session
            await eventually { gone == nil }
            await rest.value
            ended = true
        }
        XCTAssertNil(gone)
        XCTAssertTrue(ended, "the events should end with the session")
    }
}
