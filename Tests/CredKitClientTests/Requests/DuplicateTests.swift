// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Requests to an endpoint to which one is under way.
final class DuplicateTests: SessionTestCase {
    private typealias Outcome = Result<WhoAmI, ClientError>

    /// An endpoint whose requests are shared, unlike those of the other tests.
    private static let shared = Endpoint<WhoAmI>.get("/data").setting(\.duplicates, to: nil)

    /// Starts a call, which has reached the server or joined another one when this returns.
    private func start(_ session: LoginSession, _ endpoint: Endpoint<WhoAmI> = shared) -> Task<Outcome, Never>
    {
        Task.immediate {
            do throws(ClientError) {
                return .success(try await session.value(of: endpoint))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Lets the server hold its answers to a path until the gate is opened.
    private func gate(_ path: String = "/data") -> Gate {
        let gate = Gate()
        server.script(path) { _ in
            await gate.pass()
            return nil
        }
        return gate
    }

    func testAThousandCallersShareOneRequest() async throws {
        let session = try await loggedIn()
        let gate = gate()
        let calls = (0..<1000).map { _ in start(session) }
        gate.open()
        for call in calls {
            let outcome = await call.value
            XCTAssertEqual(try outcome.get().user, "alice")
        }
        XCTAssertEqual(server.dataTries, 1)
        // What is over is not shared.
        _ = try await session.value(of: Self.shared)
        XCTAssertEqual(server.dataTries, 2)
    }

    func testCancellationOfSomeHasNoEffectOnTheOthers() async throws {
        let session = try await loggedIn()
        var generator = SystemRandomNumberGenerator()
        for round in 0..<20 {
            let gate = gate()
            let count = round < 2 ? 1000 : 50
            let calls = (0..<count).map { _ in start(session) }
            let before = server.dataTries
            XCTAssertEqual(before, round + 1)
            let kept = Int.random(in: 1..<count, using: &generator)
            // The one that began the request is among them in half of the rounds.
            let cancelled = Set((0..<count).filter { _ in Bool.random(using: &generator) } + [round % 2 * 7])
                .subtracting([kept])
            await withTaskGroup { group in
                for number in cancelled { group.addTask { calls[number].cancel() } }
            }
            for number in cancelled {
                let outcome = await calls[number].value
                XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual($0 as? ClientError, .cancelled) }
            }
            gate.open()
            for number in Set(0..<count).subtracting(cancelled) {
                let outcome = await calls[number].value
                XCTAssertEqual(try outcome.get().user, "alice")
            }
            XCTAssertEqual(server.dataTries, before, "round \(round)")
        }
    }

    func testTheLastCancellationEndsTheRequest() async throws {
        let session = try await loggedIn()
        let gate = gate()
        let calls = (0..<10).map { _ in start(session) }
        await gate.hasCome()
        for call in calls { call.cancel() }
        for call in calls { _ = await call.value }
        // The scripted server continues when its request is cancelled, so that this call ends without the gate.
        XCTAssertEqual(server.dataTries, 1)
        let next = start(session)
        await gate.hasCome(2)
        gate.open()
        let outcome = await next.value
        XCTAssertEqual(try outcome.get().user, "alice")
        XCTAssertEqual(server.dataTries, 2, "a cancelled request is not joined")
    }

    func testErrorsAreSharedButNotKept() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        server.script("/data") { _ in
            await gate.pass()
            return .json("{}", status: .internalServerError)
        }
        let calls = (0..<20).map { _ in start(session) }
        gate.open()
        for call in calls {
            let outcome = await call.value
            XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual(($0 as? ClientError)?.statusCode, 500) }
        }
        XCTAssertEqual(server.dataTries, 1)
        server.script("/data", nil)
        _ = try await session.value(of: Self.shared)
        XCTAssertEqual(server.dataTries, 2)
    }

    func testRenewalIsShared() async throws {
        let session = try await loggedIn()
        server.expire()
        let gate = gate()
        let calls = (0..<100).map { _ in start(session) }
        gate.open()
        for call in calls {
            let outcome = await call.value
            XCTAssertEqual(try outcome.get().user, "alice")
        }
        XCTAssertEqual(server.dataTries, 2)
        XCTAssertEqual(server.loginCount, 2)
    }

    func testOnlyEqualRequestsAreShared() async throws {
        let session = try await loggedIn()
        let gate = gate()
        let name = try XCTUnwrap(HTTPField.Name("X-Name"))
        let endpoints: [Endpoint<WhoAmI>] = [
            Self.shared, .get("/data", query: ["a": "1"]), .get("/data", query: ["a": "2"]),
            Self.shared.setting(\.headers, to: [name: "Jos\u{E9}"]),
            // The same text in another encoding, which Swift takes for equal.
            Self.shared.setting(\.headers, to: [name: "Jose\u{301}"]),
            Self.shared.setting(\.headers, to: [name: "a", .accept: "b"]),
            // No text in any encoding that Swift knows.
            Self.shared.setting(\.headers, to: HTTPFields([HTTPField(name: name, lenientValue: [0xFE])])),
            Self.shared.setting(\.headers, to: HTTPFields([HTTPField(name: name, lenientValue: [0xFF])])),
            Self.shared.setting(\.envelope, to: Envelope(code: "x", successCodes: [1])),
            Self.shared.setting(\.duplicates, to: .allow),
            // A request that may change something is shared only on demand.
            .post("/data", form: ["a": "1"]), .post("/data", form: ["a": "1"]),
            .post("/data", form: ["a": "2"]).setting(\.duplicates, to: .share),
            .post("/data", form: ["a": "3"]).setting(\.duplicates, to: .share),
        ]
        let calls = endpoints.map { start(session, $0) }
        gate.open()
        for call in calls { _ = await call.value }
        XCTAssertEqual(server.dataTries, endpoints.count)
    }

    func testEqualChangesAreSharedOnDemand() async throws {
        let session = try await loggedIn()
        let gate = gate()
        let order = Endpoint<WhoAmI>.post("/data", form: ["order": "1"]).setting(\.duplicates, to: .share)
        let calls = (0..<100).map { _ in start(session, order) }
        gate.open()
        for call in calls {
            let outcome = await call.value
            XCTAssertEqual(try outcome.get().user, "alice")
        }
        XCTAssertEqual(server.dataTries, 1)
    }

    func testChangeEndsTheSharingOfEarlierRequests() async throws {
        let session = try await loggedIn()
        let (reading, writing) = (gate(), Gate())
        server.script("/change") { _ in
            await writing.pass()
            return .json("{}")
        }
        let before = start(session)
        let change = start(session, .post("/change", form: [:]))
        let during = start(session)
        await reading.hasCome(2)
        let alsoDuring = start(session)
        writing.open()
        _ = await change.value
        XCTAssertEqual(server.dataTries, 2)
        let after = start(session)
        await reading.hasCome(3)
        reading.open()
        for call in [before, during, alsoDuring, after] { _ = await call.value }
        XCTAssertEqual(server.dataTries, 3)
    }

    func testAnotherUserDoesNotJoin() async throws {
        let session = try await loggedIn()
        let gate = gate()
        let alice = start(session)
        await gate.hasCome()
        try await session.logIn(username: "bob", password: "li")
        let bob = start(session)
        await gate.hasCome(2)
        gate.open()
        _ = await alice.value
        let outcome = await bob.value
        XCTAssertEqual(try outcome.get().user, "bob")
    }

    func testCallerWithMoreTimeOutlivesTheOneThatBegan() async throws {
        let session = try await loggedIn()
        let isFirst = Lock(true)
        server.script("/data") { _ in
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return waits ? .never : nil
        }
        let request = OutgoingRequest(url: try HTTPURL("http://127.0.0.1:1/data"))
        let short = Task.immediate {
            await failure {
                _ = try await session.exchange(
                    request,
                    .init(envelope: .none),
                    deadline: .now + .seconds(1)
                )
            }
        }
        let long = try await session.exchange(request, .init(envelope: .none), deadline: .now + .seconds(600))
        let error = await short.value
        XCTAssertEqual(error, .timedOut)
        XCTAssertEqual(long.head.status, .ok)
        XCTAssertEqual(server.dataTries, 2)
    }

    func testReplacedCallerIsCancelled() async throws {
        let session = try await loggedIn()
        let gate = gate()
        let search = { (text: String) in
            Endpoint<WhoAmI>.get("/data", query: ["q": text]).setting(\.duplicates, to: .replace)
        }
        let first = start(session, search("a"))
        // It shares the first one's request, and is not replaced with it.
        let sharer = start(session, search("a").setting(\.duplicates, to: .share))
        let elsewhere = start(session, .get("/other").setting(\.duplicates, to: .replace))
        let second = start(session, search("ab"))
        let outcome = await first.value
        XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual($0 as? ClientError, .cancelled) }
        gate.open()
        for call in [sharer, elsewhere, second] {
            let outcome = await call.value
            XCTAssertEqual(try outcome.get().user, "alice")
        }
        XCTAssertEqual(server.dataTries, 2)
    }

    func testLaterRequestIsIgnored() async throws {
        let session = try await loggedIn()
        let gate = gate()
        let endpoint = Self.shared.setting(\.duplicates, to: .ignore)
        let first = start(session, endpoint)
        for _ in 0..<2 {
            let error = await failure { _ = try await session.send(endpoint) }
            XCTAssertEqual(error, .duplicateRequest)
        }
        // Callers without this policy are not concerned.
        let other = start(session)
        gate.open()
        for call in [first, other] {
            let outcome = await call.value
            XCTAssertEqual(try outcome.get().user, "alice")
        }
        XCTAssertEqual(server.dataTries, 1)
        // Also after a cancelled one.
        let cancelled = start(session, endpoint)
        cancelled.cancel()
        _ = await cancelled.value
        _ = try await session.send(endpoint)
    }
}
