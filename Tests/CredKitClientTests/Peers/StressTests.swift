// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Sends many requests of all kinds at once, cancelled at random times, to servers that cut, hang and flood.
///
/// 1,000 requests by default; `CREDKIT_STRESS_COUNT` sets the number for a long run.
final class StressTests: XCTestCase {
    private enum Kind: CaseIterable { case whole, post, slow, abandoned, cut, hung, flood, overTLS }
    private enum Cancellation: CaseIterable { case none, before, atOnce, soon, atHead, never }

    private var count: Int {
        ProcessInfo.processInfo.environment["CREDKIT_STRESS_COUNT"].flatMap { Int($0) } ?? 1000
    }

    /// The target of each file descriptor of this process. Dispatch opens timers when tasks sleep.
    private var descriptors: [String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        .filter { $0 != "anon_inode:[timerfd]" }
    }

    func testManyRequestsLeaveNoResourcesBehind() async throws {
        let hostile = try HostileServer()
        let faulty = try FaultyPeer("faulty_server.py")
        // Load libcurl, start its thread, and let Foundation open its permanent files first.
        _ = try await faulty.runner().run(OutgoingRequest(url: try faulty.url(of: "good", overTLS: true)))
        _ = try await hostile.log()
        let (before, countBefore) = (descriptors, descriptors.count)
        let ended = Lock(0)
        do {
            let transport = try faulty.transport(timeout: .seconds(5)) { $0.maximumConnectionsPerHost = 64 }
            let numbers = Lock((0..<count).makeIterator())
            await withTaskGroup { group in
                for task in 0..<min(500, count) {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(task) &+ 1)
                        while numbers.withLock({ $0.next() }) != nil {
                            await Self.runOne(transport, hostile, faulty, &random)
                            ended.withLock { $0 += 1 }
                        }
                    }
                }
            }
        }
        XCTAssertEqual(ended.withLock { $0 }, count, "not all requests ended")
        // The transport is released. Its thread closes its connections soon after.
        for _ in 0..<5000 where descriptors.count > countBefore {
            try await Task.sleep(for: .milliseconds(2))
        }
        let left = descriptors
        XCTAssertLessThanOrEqual(left.count, countBefore, "before \(before.sorted()), left \(left.sorted())")
    }

    private static func runOne(
        _ transport: CurlTransport,
        _ hostile: HostileServer,
        _ faulty: FaultyPeer,
        _ random: inout SeededGenerator
    ) async {
        let kind = Kind.allCases.randomElement(using: &random) ?? .whole
        let cancellation = Cancellation.allCases.randomElement(using: &random) ?? .none
        let wait = Duration.microseconds(Int.random(in: 0...20_000, using: &random))
        let reachedHead = AsyncStream<Void>.makeStream()
        let task = Task {
            if cancellation == .before { withUnsafeCurrentTask { $0?.cancel() } }
            defer { reachedHead.continuation.finish() }
            try await send(kind, transport, hostile, faulty) { reachedHead.continuation.yield() }
        }
        switch cancellation {
        case .none, .never, .before: break
        case .atOnce: task.cancel()
        case .soon:
            try? await Task.sleep(for: wait)
            task.cancel()
        case .atHead:
            for await _ in reachedHead.stream { break }
            task.cancel()
        }
        do {
            try await task.value
            XCTAssertTrue(
                [.whole, .post, .slow, .abandoned, .overTLS].contains(kind),
                "\(kind) \(cancellation) did not fail"
            )
            XCTAssertNotEqual(cancellation, .before)
        } catch {
            let allowed: [ClientError]
            switch kind {
            case .whole, .post, .slow, .abandoned, .overTLS: allowed = [.cancelled]
            case .cut: allowed = [.cancelled, .noResponse]
            case .hung: allowed = [.cancelled, .timedOut]
            case .flood: allowed = [.cancelled, .overLimit]
            }
            XCTAssertTrue(
                allowed.contains { $0 == error as? ClientError },
                "\(kind) \(cancellation): \(error)"
            )
            if cancellation == .none || cancellation == .never {
                XCTAssertNotEqual(error as? ClientError, .cancelled, "\(kind) was not cancelled")
            }
        }
    }

    private static func send(
        _ kind: Kind,
        _ transport: CurlTransport,
        _ hostile: HostileServer,
        _ faulty: FaultyPeer,
        head: () -> Void
    ) async throws {
        let runner = RequestRunner(
            transport: transport,
            rules: .init(credentialOrigins: []),
            total: .seconds(120),
            maximumBodyByteCount: 1 << 20
        )
        switch kind {
        case .whole, .overTLS:
            let url = try faulty.url(of: "good", overTLS: kind == .overTLS)
            let body = try await runner.run(OutgoingRequest(url: url)).body
            head()
            XCTAssertEqual(body, Array("ok".utf8))
        case .post:
            let url = try faulty.url(of: "close-after-answer", overTLS: false)
            let body = HTTPRequestBody([UInt8](repeating: 1, count: 5000))
            _ = try await runner.run(OutgoingRequest(method: .post, url: url, body: body))
            head()
        case .slow:
            let response = try await runner.stream(
                OutgoingRequest(url: try hostile.url("/big?bytes=3145728&mode=chunked"))
            )
            head()
            var count = 0
            for try await piece in response.body {
                count += piece.count
                try? await Task.sleep(for: .milliseconds(1))
            }
            XCTAssertEqual(count, 3_145_728)
        case .abandoned:
            let response = try await runner.stream(
                OutgoingRequest(url: try hostile.url("/big?bytes=3145728"))
            )
            head()
            for try await piece in response.body where piece.count > 0 { break }
        case .cut:
            for behaviour in ["cut-body", "cut-head", "close-at-first"].shuffled() {
                _ = try await runner.run(OutgoingRequest(url: try faulty.url(of: behaviour, overTLS: false)))
            }
        case .hung:
            let hasty = RequestRunner(
                transport: transport,
                rules: .init(credentialOrigins: []),
                total: .milliseconds(50)
            )
            _ = try await hasty.run(OutgoingRequest(url: try faulty.url(of: "hang-in-body", overTLS: false)))
        case .flood:
            _ = try await runner.run(OutgoingRequest(url: try hostile.url("/big")))
        }
    }
}
