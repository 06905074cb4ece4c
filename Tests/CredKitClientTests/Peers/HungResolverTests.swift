// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// A name server that never answers. This process cannot simulate it, so the tests run again in a child process, in
/// namespaces where DNS is silent.
final class HungResolverTests: XCTestCase {
    private static let variable = "CREDKIT_HUNG_RESOLVER"

    func testHangingLookupDoesNotDelayOtherSessions() async throws {
        guard ProcessInfo.processInfo.environment[Self.variable] == nil else { return try await inside() }
        let outcome = try Program.succeed(
            [
                "python3", TestScripts.path("hung_resolver.py"),
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
                "CredKitClientTests.HungResolverTests",
            ],
            environment: ProcessInfo.processInfo.environment.merging([Self.variable: "1"]) { $1 },
            errors: .joined
        )
        XCTAssertTrue(outcome.text.contains("Executed 1 test, with 0 failures"), outcome.text)
    }

    private func inside() async throws {
        let server = try FaultyPeer("faulty_server.py")
        let port = try server.port(of: "good")
        // Two separate sessions share one thread.
        let (hanging, other) = (try server.runner(timeout: .seconds(1)), try server.runner())
        let patient = try server.runner()
        let clock = ContinuousClock()
        let late = Task {
            await loginError(of: "hang") {
                try await hanging.run(.init(url: try HTTPURL("https://hang.test:\(port)/")))
            }
        }
        let cancelled = (0..<20).map { index in
            Task {
                await loginError(of: "cancel") {
                    try await patient.run(.init(url: try HTTPURL("https://cancel-\(index).test:\(port)/")))
                }
            }
        }
        let slowest = Slowest()
        for index in 0..<200 {
            let url = try HTTPURL("http://\(index.isMultiple(of: 2) ? "127.0.0.1" : "localhost"):\(port)/")
            let time = try await clock.measure {
                let body = try await other.run(.init(url: url)).body
                XCTAssertEqual(body, Array("ok".utf8))
            }
            slowest.note(time)
            if index == 100 { for task in cancelled { task.cancel() } }
        }
        for task in cancelled {
            let error = await task.value
            XCTAssertEqual(error, .cancelled)
        }
        let error = await late.value
        XCTAssertEqual(error, .timedOut)
        // A DNS query takes a minute here.
        XCTAssertLessThan(slowest.time, .seconds(20))
    }

    private final class Slowest {
        private(set) var time = Duration.zero

        func note(_ other: Duration) { time = max(time, other) }
    }
}
