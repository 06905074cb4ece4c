// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

final class RequestRunnerBodyTests: XCTestCase {
    private func runner(total: Duration = .seconds(20), limit: Int = 1 << 20) -> RequestRunner {
        RequestRunner(
            transport: CurlTransport.shared,
            rules: RedirectRules(credentialOrigins: []),
            total: total,
            maximumBodyByteCount: limit
        )
    }

    func testFloodStopsAtTheSizeLimit() async throws {
        let server = try HostileServer()
        for target in ["/big?mode=chunked", "/big?mode=length", "/unbounded"] {
            let before = residentByteCount()
            let error = await assertThrows(.overLimit) {
                try await self.runner().run(OutgoingRequest(url: try server.url(target)))
            }
            XCTAssertEqual(error?.statusCode, 200)
            XCTAssertLessThan(residentByteCount() - before, 64 << 20, target)
        }
        // The server could send what the sockets and the limit hold, not its gigabyte.
        let sent = try await server.sentByteCount()
        XCTAssertLessThan(sent, 64 << 20)
    }

    private func residentByteCount() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4096
    }

    func testBodyOfExactlyTheLimitIsComplete() async throws {
        let server = try HostileServer()
        for mode in ["chunked", "length"] {
            let url = try server.url("/big?bytes=1048576&mode=\(mode)")
            let response = try await runner().run(OutgoingRequest(url: url))
            XCTAssertEqual(response.body, [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
            await assertThrows(.overLimit) {
                try await self.runner(limit: (1 << 20) - 1).run(OutgoingRequest(url: url))
            }
        }
    }

    func testSlowResponseEndsAtTheTotalDeadline() async throws {
        let server = try HostileServer()
        for target in ["/silent", "/head-only", "/drip", "/drip-head", "/endless-continues"] {
            let start = ContinuousClock.now
            await assertThrows(.timedOut) {
                try await self.runner(total: .milliseconds(500)).run(
                    OutgoingRequest(url: try server.url(target))
                )
            }
            XCTAssertLessThan(start.duration(to: .now), .seconds(8), target)
        }
    }

    func testStreamHasTheSameDeadline() async throws {
        let server = try HostileServer()
        let response = try await runner(total: .seconds(3)).stream(
            OutgoingRequest(url: try server.url("/drip"))
        )
        var count = 0
        await assertThrows(.timedOut) {
            for try await piece in response.body { count += piece.count }
        }
        XCTAssertGreaterThan(count, 0)
        let whole = try await runner().stream(OutgoingRequest(url: try server.url("/big?bytes=10485760")))
        var wholeCount = 0
        for try await piece in whole.body { wholeCount += piece.count }
        XCTAssertEqual(wholeCount, 10_485_760)
    }

    func testCancellationEndsARequestPromptly() async throws {
        let server = try HostileServer()
        for target in ["/silent", "/head-only", "/drip", "/endless-continues"] {
            let url = try server.url(target)
            let runner = runner()
            let task = Task { try await runner.run(OutgoingRequest(url: url)) }
            try await Task.sleep(for: .milliseconds(200))
            let start = ContinuousClock.now
            task.cancel()
            await assertThrows(.cancelled) { try await task.value }
            XCTAssertLessThan(start.duration(to: .now), .seconds(5), target)
        }
        // A request that is cancelled before it begins is never sent.
        let url = try server.url("/echo")
        let count = try await server.log().count
        let runner = runner()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await runner.run(OutgoingRequest(url: url))
        }
        await assertThrows(.cancelled) { try await task.value }
        let after = try await server.log().count
        XCTAssertEqual(after, count)
    }

    func testManySlowRequestsEndTogether() async throws {
        let transport = ScriptedTransport { _ in
            .response(
                body: HTTPResponseBody {
                    .init { () async throws(ClientError) in
                        do { try await Task.sleep(for: .seconds(60)) } catch { throw .cancelled }
                        return nil
                    }
                }
            )
        }
        let runner = RequestRunner(
            transport: transport,
            rules: .init(credentialOrigins: []),
            total: .milliseconds(300)
        )
        let url = try HTTPURL("https://school.example/")
        let timedOutCount = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    do throws(ClientError) {
                        _ = try await runner.run(OutgoingRequest(url: url))
                        return false
                    } catch { return error == .timedOut }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        XCTAssertEqual(timedOutCount, 500)
    }
}
