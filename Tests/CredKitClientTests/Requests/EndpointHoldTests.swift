// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// How long a caller holds its endpoint: a later one replaces it, or is ignored meanwhile.
final class EndpointHoldTests: SessionTestCase {
    private static let replacing = Endpoint<WhoAmI>.get("/data").setting(\.duplicates, to: .replace)
    private static let ignoring = Endpoint<WhoAmI>.get("/data").setting(\.duplicates, to: .ignore)

    /// Lets the server send one piece of a body, and the rest when the gate is opened.
    private func serveStream() -> Gate {
        let gate = Gate()
        let isFirst = Lock(true)
        server.script("/data") { _ in
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard waits else { return .json(#"{"user": "alice"}"#) }
            return .response(
                body: HTTPResponseBody {
                    var count = 0
                    return .init {
                        count += 1
                        if count == 2 { await gate.pass() }
                        return count < 3 ? [UInt8(count)] : nil
                    }
                }
            )
        }
        return gate
    }

    /// Reads a stream; it has reached the gate when the task is at its second piece.
    private func read(
        _ session: LoginSession,
        _ endpoint: Endpoint<WhoAmI>
    ) -> Task<Result<[UInt8], ClientError>, Never> {
        Task.immediate {
            do throws(ClientError) {
                let bytes = try await session.withResponse(to: endpoint) { _, body in
                    var bytes: [UInt8] = []
                    for try await piece in body { bytes += piece }
                    return bytes
                }
                return .success(bytes)
            } catch {
                return .failure(error)
            }
        }
    }

    private func assertNothingIsHeld(_ session: LoginSession, line: UInt = #line) {
        XCTAssertEqual(session.underWay.heldCount, 0, line: line)
    }

    func testOneOfManyReplacingCallersRemains() async throws {
        let session = try await loggedIn()
        let state = server.state
        for round in 0..<300 {
            let gate = Gate()
            server.script("/data") { _ in
                await gate.pass()
                return Task.isCancelled ? .never : .json(#"{"user": "\#(state.withLock { $0.dataTries })"}"#)
            }
            let calls = await withTaskGroup(of: Task<WhoAmI?, Never>.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let search = Endpoint<WhoAmI>.get("/data", query: ["q": "\(number)"])
                        return Task.immediate {
                            try? await session.value(of: search.setting(\.duplicates, to: .replace))
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            gate.open()
            var count = 0
            for call in calls where await call.value != nil { count += 1 }
            guard count == 1 else { return XCTFail("\(count) callers remained in round \(round)") }
        }
        assertNothingIsHeld(session)
    }

    func testStreamIsReplacedWhileItIsRead() async throws {
        let session = try await loggedIn()
        let gate = serveStream()
        let first = read(session, Self.replacing)
        await gate.hasCome()
        let second = try await session.value(of: Self.replacing)
        XCTAssertEqual(second.user, "alice")
        gate.open()
        let outcome = await first.value
        XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual($0 as? ClientError, .cancelled) }
        assertNothingIsHeld(session)
    }

    func testStreamIsReplacedBetweenTwoPieces() async throws {
        let session = try await loggedIn()
        let gate = serveStream()
        gate.open()
        let error = await failure {
            try await session.withResponse(to: Self.replacing) { _, body in
                var pieces = body.makeAsyncIterator()
                _ = try await pieces.next()
                _ = try await session.value(of: Self.replacing)
                while try await pieces.next() != nil {}
            }
        }
        XCTAssertEqual(error, .cancelled)
    }

    func testRequestsAreIgnoredUntilTheStreamWasRead() async throws {
        let session = try await loggedIn()
        let gate = serveStream()
        let first = read(session, Self.ignoring)
        await gate.hasCome()
        let error = await failure { _ = try await session.send(Self.ignoring) }
        XCTAssertEqual(error, .duplicateRequest)
        gate.open()
        let outcome = await first.value
        XCTAssertEqual(try outcome.get(), [1, 2])
        _ = try await session.send(Self.ignoring)
        assertNothingIsHeld(session)
    }

    /// The head of a response that is collected has no meaning of its own either.
    func testRequestsAreIgnoredUntilTheBodyWasCollected() async throws {
        let session = try await loggedIn()
        let gate = serveStream()
        let order = Endpoint<Void>.post("/data", form: ["a": "1"]).setting(\.duplicates, to: .ignore)
        let first = Task.immediate { try? await session.send(order) }
        await gate.hasCome()
        let error = await failure { _ = try await session.send(order) }
        XCTAssertEqual(error, .duplicateRequest)
        gate.open()
        _ = await first.value
        assertNothingIsHeld(session)
    }

    func testDroppedStreamsHoldNothing() async throws {
        let session = try await loggedIn()
        for endpoint in [Self.ignoring, Self.replacing] {
            // Not read at all, not to its end, or not without an error.
            for pieceCount in [0, 1] {
                _ = serveStream()
                try await session.withResponse(to: endpoint) { _, body in
                    var pieces = body.makeAsyncIterator()
                    for _ in 0..<pieceCount { _ = try await pieces.next() }
                }
                assertNothingIsHeld(session)
            }
            server.script("/data") { _ in
                .response(
                    body: HTTPResponseBody { .init { () async throws(ClientError) in throw .noResponse } }
                )
            }
            let error = await failure {
                try await session.withResponse(to: endpoint) { _, body in
                    for try await _ in body {}
                }
            }
            XCTAssertEqual(error, .noResponse)
            assertNothingIsHeld(session)
            let gate = serveStream()
            let cancelled = read(session, endpoint)
            await gate.hasCome()
            cancelled.cancel()
            _ = await cancelled.value
            assertNothingIsHeld(session)
            server.script("/data") { _ in .failure(.noConnection) }
            let refused = await failure { _ = try await session.send(endpoint) }
            XCTAssertEqual(refused, .noConnection)
            assertNothingIsHeld(session)
        }
    }

    func testCancelledWorkDoesNotBegin() async throws {
        let work = CancellableWork()
        work.cancel()
        let hasBegun = Lock(false)
        let error = await failure {
            try await work.run { () async throws(ClientError) in hasBegun.withLock { $0 = true } }
        }
        XCTAssertEqual(error, .cancelled)
        XCTAssertFalse(hasBegun.withLock { $0 })
    }
}
