// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Users, tasks and resets.
final class PagerTests: SessionTestCase {
    private typealias Outcome = Result<[Int], ClientError>

    private static let numbers = PagedEndpoint<Int>(
        Endpoint<[Int]>.get("/data").setting(\.duplicates, to: .allow),
        paging: .pageNumber("page", size: 2)
    )

    /// Answers logged-in users with the page's number twice, and an empty page after ten of them.
    private func serve(_ gate: Gate? = nil) {
        let state = server.state
        server.script("/data") { request in
            let page = Int((request.head.path ?? "").drop { $0 != "=" }.dropFirst()) ?? 0
            await gate?.pass()
            // The answer to a cancelled request must not win the race.
            if Task.isCancelled { return .never }
            let cookie = request.head.headerFields[.cookie] ?? ""
            guard state.withLock({ $0.sessions["\(cookie.dropFirst(4))"] != nil }) else { return nil }
            return .json(page > 10 ? "[]" : "[\(page), \(-page)]")
        }
    }

    private func start(_ pager: Pager<Int>) -> Task<Outcome, Never> {
        Task.immediate {
            do throws(ClientError) {
                return .success(try await pager.next()?.elements ?? [])
            } catch {
                return .failure(error)
            }
        }
    }

    private func assert(_ task: Task<Outcome, Never>, throws expected: ClientError, line: UInt = #line) async
    {
        guard case .failure(let error) = await task.value else { return XCTFail("no error", line: line) }
        XCTAssertEqual(error, expected, line: line)
    }

    func testPagesOneByOne() async throws {
        serve()
        let pager = try await loggedIn().pager(of: Self.numbers)
        for page in 1...10 {
            XCTAssertTrue(pager.hasMore)
            let elements = try await pager.next()?.elements
            XCTAssertEqual(elements, [page, -page])
        }
        let last = try await pager.next()
        XCTAssertEqual(last?.elements, [])
        XCTAssertFalse(pager.hasMore)
        let end = try await pager.next()
        XCTAssertNil(end)
        pager.reset()
        XCTAssertTrue(pager.hasMore)
        let first = try await pager.next()?.number
        XCTAssertEqual(first, 1)
    }

    func testFailedPageCanBeRequestedAgain() async throws {
        serve()
        let pager = try await loggedIn().pager(of: Self.numbers)
        _ = try await pager.next()
        server.script("/data") { _ in .failure(.noConnection) }
        await assertThrows(.noConnection) { try await pager.next() }
        XCTAssertTrue(pager.hasMore)
        serve()
        let second = try await pager.next()?.elements
        XCTAssertEqual(second, [2, -2])
        // A sequence ends with its error.
        server.script("/data") { _ in .failure(.noConnection) }
        var elements = try await loggedIn().elements(of: Self.numbers).makeAsyncIterator()
        do {
            _ = try await elements.next()
            XCTFail("no error")
        } catch { XCTAssertEqual(error, .noConnection) }
        let end = try await elements.next()
        XCTAssertNil(end)
    }

    func testExpiredLoginIsRenewedBetweenPages() async throws {
        serve()
        let session = try await loggedIn()
        var sum = 0
        for try await number in session.elements(of: Self.numbers) {
            if number == 5 { server.expire() }
            sum += max(number, 0)
        }
        XCTAssertEqual(sum, 55)
        XCTAssertEqual(server.loginCount, 2)
    }

    func testTasksShareThePages() async throws {
        serve()
        let pager = try await loggedIn().pager(of: Self.numbers)
        let pages = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<20 { group.addTask { (try? await pager.next()?.elements) ?? [] } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        XCTAssertEqual(pages.filter { $0 > 0 }.sorted(), Array(1...10), "each page once")
        XCTAssertEqual(server.dataTries, 11, "one at a time")
    }

    func testCancelledCallsLeaveTheirTurnToTheNext() async throws {
        let session = try await loggedIn()
        for cancelled in [[0], [1], [0, 1], [1, 2], [0, 1, 2]] {
            let gate = Gate()
            serve(gate)
            let pager = session.pager(of: Self.numbers)
            let calls = (0..<4).map { _ in start(pager) }
            for number in cancelled { calls[number].cancel() }
            for number in cancelled { await assert(calls[number], throws: .cancelled) }
            gate.open()
            var pages: [Int] = []
            for number in 0..<4 where !cancelled.contains(number) {
                pages += try await calls[number].value.get().prefix(1)
            }
            XCTAssertEqual(pages, Array(1...(4 - cancelled.count)), "\(cancelled)")
        }
    }

    func testTurnThatWasGivenCannotBeWithdrawn() {
        var queue = TurnQueue()
        let turns = (0..<3).map { _ in SharedOutcome<Void, ClientError>() }
        XCTAssertTrue(queue.enter(turns[0]))
        XCTAssertFalse(queue.enter(turns[1]))
        XCTAssertFalse(queue.enter(turns[2]))
        XCTAssertTrue(queue.leave() === turns[1])
        XCTAssertFalse(queue.withdraw(turns[1]), "its owner must pass it on")
        XCTAssertTrue(queue.withdraw(turns[2]))
        XCTAssertNil(queue.leave())
        XCTAssertTrue(queue.enter(turns[0]))
    }

    func testNoTurnIsLost() async throws {
        serve()
        let session = try await loggedIn()
        for round in 0..<200 {
            let pager = session.pager(of: Self.numbers)
            let calls = (0..<8).map { _ in start(pager) }
            await withTaskGroup { group in
                for number in 1..<7 { group.addTask { calls[number].cancel() } }
            }
            let last = try await calls[7].value.get()
            XCTAssertEqual(last.count, 2, "round \(round)")
        }
    }

    func testResetEndsRequests() async throws {
        server.script("/data") { _ in .never }
        let pager = try await loggedIn { $0.timeouts.total = .seconds(3600) }.pager(of: Self.numbers)
        let call = start(pager)
        pager.reset()
        await assert(call, throws: .cancelled)
    }

    func testResetDropsLatePages() async throws {
        let session = try await loggedIn()
        serve()
        let pager = session.pager(of: Self.numbers)
        _ = try await pager.next()
        let gate = Gate()
        serve(gate)
        let late = (0..<3).map { _ in start(pager) }
        await gate.hasCome()
        pager.reset()
        let new = start(pager)
        await gate.hasCome(2)
        gate.open()
        for call in late { await assert(call, throws: .cancelled) }
        let elements = try await new.value.get()
        XCTAssertEqual(elements, [1, -1])
        let second = try await pager.next()?.elements
        XCTAssertEqual(second, [2, -2])
    }

    func testResetCancelsARequestThatIsAboutToBegin() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        let lateCount = Lock(0)
        server.script("/data") { _ in
            await gate.pass()
            if !Task.isCancelled { lateCount.withLock { $0 += 1 } }
            return .json("[1, 2]")
        }
        var calls: [Task<Outcome, Never>] = []
        for _ in 0..<3000 {
            let pager = session.pager(of: Self.numbers)
            let reset = Task.detached { pager.reset() }
            calls.append(start(pager))
            await reset.value
            // What began after that reset.
            pager.reset()
        }
        gate.open()
        for call in calls { await assert(call, throws: .cancelled) }
        XCTAssertEqual(lateCount.withLock { $0 }, 0, "a request was not cancelled")
    }

    func testNegativeTotalIsMalformed() async throws {
        let session = try await loggedIn()
        for total in ["-1", "-9223372036854775808", "\"-1\"", "-0.5", "9223372036854775808"] {
            server.script("/data") { _ in .json(#"{"items": [1], "total": \#(total)}"#) }
            var list = Self.numbers
            list.items = "items"
            list.total = "total"
            let pager = session.pager(of: list)
            await assertThrows(.malformedResponse) { try await pager.next() }
        }
    }

    /// The total of an envelope is only a hint.
    func testNegativeTotalOfAnEnvelopeEndsNothing() async throws {
        let session = try await loggedIn()
        server.script("/data") { request in
            let isSecond = request.head.path?.hasSuffix("page=2") == true
            return .json(
                #"{"code": 0, "data": [\#(isSecond ? "3" : "1, 2")], "total": -9223372036854775808}"#
            )
        }
        var list = Self.numbers
        list.endpoint.envelope = .codeData
        list.endpoint.envelope?.total = "total"
        var numbers: [Int] = []
        for try await page in session.pages(of: list) {
            numbers += page.elements
            XCTAssertNil(page.total)
        }
        XCTAssertEqual(numbers, [1, 2, 3])
    }

    func testAnotherUserEndsTheList() async throws {
        serve()
        let session = try await loggedIn()
        let pager = session.pager(of: Self.numbers)
        _ = try await pager.next()
        let tries = server.dataTries
        try await session.logIn(username: "bob", password: "li")
        await assertThrows(.sessionExpired) { try await pager.next() }
        XCTAssertEqual(server.dataTries, tries, "no page of one user's list is requested as another")
        pager.reset()
        let first = try await pager.next()?.elements
        XCTAssertEqual(first, [1, -1])
        try await session.logOut()
        await assertThrows(.sessionExpired) { try await pager.next() }
    }

    func testFailedFirstPageBindsNoUser() async throws {
        let session = try session()
        let pager = session.pager(of: Self.numbers)
        await assertThrows(.unexpectedStatus) { try await pager.next() }
        try await session.logIn(username: "alice", password: "zhang")
        serve()
        let first = try await pager.next()?.elements
        XCTAssertEqual(first, [1, -1])
    }

    func testLateErrorsAreDropped() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        server.script("/data") { _ in
            await gate.pass()
            return .json("no list")
        }
        // The answer arrives in spite of the cancellation.
        let pager = session.pager(of: Self.numbers)
        let call = start(pager)
        await gate.hasCome()
        pager.reset()
        gate.open()
        await assert(call, throws: .cancelled)
    }

    func testPageThatEndsUnderAnotherUserIsDropped() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        serve(gate)
        let pager = session.pager(of: Self.numbers)
        let call = start(pager)
        await gate.hasCome()
        try await session.logIn(username: "bob", password: "li")
        gate.open()
        await assert(call, throws: .sessionExpired)
    }

    func testStreamsCannotBeSentForEachPage() async throws {
        var list = Self.numbers
        list.endpoint.payload = .body(HTTPRequestBody(streaming: HTTPResponseBody()))
        let pager = try await loggedIn().pager(of: list)
        await assertThrows(.invalidRequest) { try await pager.next() }
    }

    func testDescriptionsHaveNoQuery() async throws {
        serve()
        var list = Self.numbers
        list.endpoint.query = [("key", "secret")]
        list.url = try HTTPURL("http://127.0.0.1:1/data?key=secret")
        let session = try await loggedIn()
        let pager = session.pager(of: list)
        _ = try await pager.next()
        var text = "\(pager) \(list) \(session.elements(of: list))"
        dump(pager, to: &text)
        dump(list, to: &text)
        dump(session.pages(of: list), to: &text)
        XCTAssertFalse(text.contains("secret"), text)
        XCTAssertTrue(text.hasPrefix("Pager(GET /data)"), text)
    }

    func testIDsAreComparedAsBytesAndForgottenLate() {
        // The same text for Unicode.
        var ids = RecentElementIDs(limit: 3)
        XCTAssertTrue(ids.insert(ElementID("\u{E9}")))
        XCTAssertTrue(ids.insert(ElementID("e\u{301}")))
        XCTAssertFalse(ids.insert(ElementID("\u{E9}")))
        for number in 0..<100 {
            XCTAssertTrue(ids.insert(ElementID(number)))
            XCTAssertFalse(ids.insert(ElementID(max(number - 2, 0))))
        }
        XCTAssertTrue(ids.insert(ElementID("\u{E9}")))
    }
}
