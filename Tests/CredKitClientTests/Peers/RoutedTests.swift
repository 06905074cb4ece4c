// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Tests that can run on any route to their servers.
protocol RoutedTests: XCTestCase {
    /// The route of the requests; direct by default.
    var routeKind: RouteKind { get set }

    /// Takes over state that consecutive tests can share.
    func takeOver(from other: Self?) throws

    /// All tests of the class. The test runner does not find inherited ones.
    static var all: [Scenario<Self>] { get }
}

/// A test of a class, with its name.
struct Scenario<Tests> {
    let name: String
    let run: (Tests) async throws -> Void

    init(_ name: String, _ run: @escaping (Tests) async throws -> Void) {
        (self.name, self.run) = (name, run)
    }
}

extension RoutedTests {
    /// Runs all tests of this class on a route.
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

    /// Calls the synchronous one of the two methods with this name.
    private func end() { tearDown() }

    /// Returns the names of tests in a file, relative to this folder's parent, that are missing from the list.
    static func forgotten(in path: String) throws -> [String] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../\(path)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let names = text.matches(of: /func (test\w+)\(/).map { String($0.1) }
        XCTAssertFalse(names.isEmpty)
        return names.filter { name in !all.contains { $0.name == name } }
    }
}

/// Redirects and headers on every route to a server.
final class RoutedRequestTests: XCTestCase {
    private func run(_ front: RouteKind.Front, _ proxy: RouteKind.ProxyKind = .none) async throws {
        try await RequestRunnerTests.runAll(on: RouteKind(front: front, proxy: proxy))
    }

    func testAllTestsAreListed() throws {
        XCTAssertEqual(try RequestRunnerTests.forgotten(in: "Requests/RequestRunnerTests.swift"), [])
    }

    func testOverNginxWithHTTP1() async throws { try await run(.http1) }
    func testOverNginxWithHTTP2() async throws { try await run(.http2) }
    func testUnencryptedThroughAnHTTPProxy() async throws { try await run(.http, .http) }
    func testThroughAnHTTPProxy() async throws { try await run(.http1, .http) }
    func testUnencryptedThroughAnHTTPSProxy() async throws { try await run(.http, .https) }
    func testThroughAnHTTPSProxy() async throws { try await run(.http2, .https) }
    func testUnencryptedThroughSOCKS() async throws { try await run(.http, .socks5) }
    func testThroughSOCKS() async throws { try await run(.http2, .socks5) }
    func testThroughSOCKSWithAPassword() async throws { try await run(.http1, .socks5WithPassword) }
}

/// Login, renewal and cookies on every route to a server.
final class RoutedSessionTests: XCTestCase {
    private func run(_ front: RouteKind.Front, _ proxy: RouteKind.ProxyKind = .none) async throws {
        try await SocketSessionTests.runAll(on: RouteKind(front: front, proxy: proxy))
    }

    func testAllTestsAreListed() throws {
        XCTAssertEqual(try SocketSessionTests.forgotten(in: "LoginSession/SocketSessionTests.swift"), [])
    }

    func testOverNginxWithHTTP1() async throws { try await run(.http1) }
    func testOverNginxWithHTTP2() async throws { try await run(.http2) }
    func testUnencryptedThroughAnHTTPProxy() async throws { try await run(.http, .http) }
    func testThroughAnHTTPProxy() async throws { try await run(.http2, .http) }
    func testThroughAnHTTPSProxy() async throws { try await run(.http2, .https) }
    func testThroughSOCKS() async throws { try await run(.http1, .socks5) }
    func testThroughSOCKSWithAPassword() async throws { try await run(.http2, .socks5WithPassword) }
}
