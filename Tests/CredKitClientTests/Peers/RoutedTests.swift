// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Tests that can be run on any way to their servers.
protocol RoutedTests: XCTestCase {
    /// Which way requests go; straight to the servers by default.
    var routeKind: RouteKind { get set }

    /// Takes over what tests that are run one after the other can share.
    func takeOver(from other: Self?) throws

    /// All tests of the class. The test runner does not know inherited ones.
    static var all: [Scenario<Self>] { get }
}

/// A test of a class, by its name.
struct Scenario<Tests> {
    let name: String
    let run: (Tests) async throws -> Void

    init(_ name: String, _ run: @escaping (Tests) async throws -> Void) {
        (self.name, self.run) = (name, run)
    }
}

extension RoutedTests {
    /// Runs all tests of this class on a way.
    static func runAll(on kind: RouteKind) async throws {
        var last: Self?
        for scenario in all {
            let test = Self(name: scenario.name) { _ in }
            test.routeKind = kind
            try test.setUpWithError()
            try test.takeOver(from: last)
            last?.end()
            last = test
            do {
                try await scenario.run(test)
            } catch {
                XCTFail("\(scenario.name): \(error)")
            }
        }
        last?.end()
    }

    /// The one of the two methods of this name that is synchronous.
    private func end() { tearDown() }

    /// The names of tests in a file of this folder's parent that are not among those that are run.
    static func forgotten(in path: String) throws -> [String] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../\(path)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let names = text.matches(of: /func (test\w+)\(/).map { String($0.1) }
        XCTAssertFalse(names.isEmpty)
        return names.filter { name in !all.contains { $0.name == name } }
    }
}

/// Redirects and headers on every way to a server.
final class RoutedRequestTests: XCTestCase {
    private func run(_ front: RouteKind.Front, _ proxy: RouteKind.ProxyKind = .none) async throws {
        try await RequestRunnerTests.runAll(on: RouteKind(front: front, proxy: proxy))
    }

    func testNoneIsForgotten() throws {
        XCTAssertEqual(try RequestRunnerTests.forgotten(in: "Transport/RequestRunnerTests.swift"), [])
    }

    func testOverNginxWithHTTP1() async throws { try await run(.http1) }
    func testOverNginxWithHTTP2() async throws { try await run(.http2) }
    func testInClearThroughAnHTTPProxy() async throws { try await run(.http, .http) }
    func testThroughAnHTTPProxy() async throws { try await run(.http1, .http) }
    func testInClearThroughAnHTTPSProxy() async throws { try await run(.http, .https) }
    func testThroughAnHTTPSProxy() async throws { try await run(.http2, .https) }
    func testInClearThroughSOCKS() async throws { try await run(.http, .socks5) }
    func testThroughSOCKS() async throws { try await run(.http2, .socks5) }
    func testThroughSOCKSWithAPassword() async throws { try await run(.http1, .socks5WithPassword) }
}

/// Login, renewal and cookies on every way to a server.
final class RoutedSessionTests: XCTestCase {
    private func run(_ front: RouteKind.Front, _ proxy: RouteKind.ProxyKind = .none) async throws {
        try await SocketSessionTests.runAll(on: RouteKind(front: front, proxy: proxy))
    }

    func testNoneIsForgotten() throws {
        XCTAssertEqual(try SocketSessionTests.forgotten(in: "LoginSession/SocketSessionTests.swift"), [])
    }

    func testOverNginxWithHTTP1() async throws { try await run(.http1) }
    func testOverNginxWithHTTP2() async throws { try await run(.http2) }
    func testInClearThroughAnHTTPProxy() async throws { try await run(.http, .http) }
    func testThroughAnHTTPProxy() async throws { try await run(.http2, .http) }
    func testThroughAnHTTPSProxy() async throws { try await run(.http2, .https) }
    func testThroughSOCKS() async throws { try await run(.http1, .socks5) }
    func testThroughSOCKSWithAPassword() async throws { try await run(.http2, .socks5WithPassword) }
}
