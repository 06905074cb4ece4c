// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitKeychain
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Runs sessions over real sockets against a server that does not use CredKit. The route is direct here;
/// `RoutedSessionTests` runs the same tests over other routes.
final class SocketSessionTests: SessionTestCase, RoutedTests {
    var routeKind = RouteKind.direct

    static var all: [Scenario<SocketSessionTests>] {
        [
            .init("testThousandRequestsShareOneLogin") { try await $0.testThousandRequestsShareOneLogin() },
            .init("testThousandRequestsShareOneRejection") {
                try await $0.testThousandRequestsShareOneRejection()
            },
            .init("testUnavailableLoginEndpointFailsOnlyRequestsInFlight") {
                try await $0.testUnavailableLoginEndpointFailsOnlyRequestsInFlight()
            },
            .init("testAlwaysExpiredEndpointIsTriedTwicePerRequest") {
                try await $0.testAlwaysExpiredEndpointIsTriedTwicePerRequest()
            },
            .init("testChallengeIsNotReachedThroughAnotherOrigin") {
                try await $0.testChallengeIsNotReachedThroughAnotherOrigin()
            },
            .init("testCredentialsStayWithinTheAllowedOrigins") {
                try await $0.testCredentialsStayWithinTheAllowedOrigins()
            },
        ]
    }

    func takeOver(from other: SocketSessionTests?) {}

    private var route = Route.direct

    override func tearDown() {
        route = .direct
        super.tearDown()
    }

    /// Starts a server and selects the route to it.
    private func makeServer() throws -> LoginServer {
        let server = try LoginServer()
        route = try Route(routeKind, to: [UInt16(server.port)])
        return server
    }

    /// The URL of a server on this route.
    private func url(of server: LoginServer) -> String {
        "\(route.scheme)://127.0.0.1:\(route.port(for: UInt16(server.port)))"
    }

    /// 1,000 concurrent requests on direct routes; fewer on routes with proxies.
    private func scaled(_ count: Int) -> Int { route.kind.isDirect ? count : count / 10 }

    private func loggedIn(at python: LoginServer) async throws -> LoginSession {
        let session = try session(
            url(of: python),
            transport: try route.transport { $0.maximumConnectionsPerHost = 32 }
        ) {
            $0.now = { .now }
            $0.allowsInsecureHTTP = self.route.needsInsecureHTTP
            // Long timeouts, so that a busy machine does not fail the test.
            $0.timeouts.total = .seconds(240)
        }
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertEqual(session.serverUTCOffset, .minutes(0))
        return session
    }

    func testThousandRequestsShareOneLogin() async throws {
        let python = try makeServer()
        let session = try await loggedIn(at: python)
        try python.ask("/admin/expire")
        let (answers, errors) = await sendAtOnce(scaled(1000), session)
        XCTAssertEqual(answers, scaled(1000), "\(errors.prefix(3))")
        let counts = try python.counts
        XCTAssertEqual(counts.logins, 2)
        XCTAssertLessThanOrEqual(counts.data, scaled(2000))
        try route.assertNoLeak(of: ["x-auth-token: t-", "sid=", "username=alice"])
    }

    func testThousandRequestsShareOneRejection() async throws {
        let python = try makeServer()
        let session = try await loggedIn(at: python)
        try python.ask("/admin/password?alice=changed")
        try python.ask("/admin/expire")
        let (answers, errors) = await sendAtOnce(scaled(1000), session)
        XCTAssertEqual(answers, 0)
        XCTAssertEqual(errors.filter { $0 == .invalidCredentials }.count, scaled(1000))
        let later = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(later, .invalidCredentials)
        XCTAssertEqual(try python.counts.logins, 2)
        try await keychain.setSessionSecret("changed", service: url(of: python), account: "alice")
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(try python.counts.logins, 3)
    }

    func testUnavailableLoginEndpointFailsOnlyRequestsInFlight() async throws {
        let python = try makeServer()
        let session = try await loggedIn(at: python)
        for (mode, expected) in [
            ("503", [ClientError.unexpectedStatus]), ("429", [.tooManyAttempts]),
            // nginx and proxies may answer on behalf of a server that is down.
            ("drop", route.answersForServers ? [.unexpectedStatus, .noResponse] : [.noResponse]),
        ] {
            try python.ask("/admin/login?mode=\(mode)")
            try python.ask("/admin/expire")
            var logins = Int.max
            // All requests in flight share one login; on a busy machine some requests begin later, but not every time.
            for _ in 0..<3 where logins >= 10 {
                let before = try python.counts.logins
                let (answers, errors) = await sendAtOnce(scaled(300), session)
                XCTAssertEqual(answers, 0)
                XCTAssertEqual(
                    errors.filter { expected.contains($0) }.count,
                    scaled(300),
                    "\(mode): \(errors.prefix(2))"
                )
                logins = try python.counts.logins - before
            }
            XCTAssertLessThan(logins, 10)
            try python.ask("/admin/login?mode=ok")
            let user = try await session.value(of: .data).user
            XCTAssertEqual(user, "alice")
        }
        python.stop()
        let (answers, errors) = await sendAtOnce(scaled(100), session)
        XCTAssertEqual(answers, 0)
        let expected: [ClientError] =
            route.answersForServers ? [.unexpectedStatus, .noResponse] : [.noConnection, .noResponse]
        XCTAssertEqual(errors.filter { expected.contains($0) }.count, scaled(100), "\(errors.prefix(3))")
        try python.start()
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        try await session.logOut()
        XCTAssertEqual(files, [])
    }

    func testAlwaysExpiredEndpointIsTriedTwicePerRequest() async throws {
        let python = try makeServer()
        let session = try await loggedIn(at: python)
        try python.ask("/admin/data?mode=401")
        var logins = Int.max
        // All requests in flight share one login, as above.
        for _ in 0..<3 where logins >= 9 {
            let before = try python.counts
            let (answers, errors) = await sendAtOnce(scaled(500), session)
            XCTAssertEqual(answers, 0)
            XCTAssertEqual(errors.filter { $0 == .sessionExpired }.count, scaled(500))
            let counts = try python.counts
            XCTAssertLessThanOrEqual(counts.data - before.data, scaled(1000))
            logins = counts.logins - before.logins
        }
        XCTAssertLessThan(logins, 9)
    }

    func testChallengeIsNotReachedThroughAnotherOrigin() async throws {
        let (python, other) = (try LoginServer(), try LoginServer())
        route = try Route(routeKind, to: [UInt16(python.port), UInt16(other.port)])
        let back = "\(url(of: python))/hmackey.php"
        let outside = "\(url(of: other))/redirect?to=\(PercentCoding.component.encode(back.utf8))"
        for (target, isInside) in [(back, true), (outside, false)] {
            var time = LoginProfile.ChallengeSource()
            time.path = "/redirect?to=\(PercentCoding.component.encode(target.utf8))"
            let session = try session(
                url(of: python),
                profile: .timestamped(keyPhrase: "itheima", challenge: time),
                transport: try route.transport()
            ) {
                $0.now = { .now }
                $0.allowsInsecureHTTP = self.route.needsInsecureHTTP
            }
            let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error, isInside ? nil : .redirectRefused)
            XCTAssertEqual(
                try python.counts.logins,
                1,
                "a proof was sent for a challenge from another origin"
            )
        }
        XCTAssertEqual(try other.counts.headers.count, 0, "the other origin was asked")
    }

    func testCredentialsStayWithinTheAllowedOrigins() async throws {
        let (python, other) = (try LoginServer(), try LoginServer())
        route = try Route(routeKind, to: [UInt16(python.port), UInt16(other.port)])
        let (scheme, port) = (route.scheme, route.port(for: UInt16(python.port)))
        let otherPort = route.port(for: UInt16(other.port))
        let session = try session(url(of: python), transport: try route.transport()) {
            $0.now = { .now }
            $0.allowsInsecureHTTP = self.route.needsInsecureHTTP
            $0.headers = [HTTPField.Name("x-device")!: "header-secret", .authorization: "Bearer auth-secret"]
        }
        try await session.logIn(username: "alice", password: "zhang")
        // Another port, another name of the same computer, and back.
        for target in [
            "\(scheme)://127.0.0.1:\(otherPort)/seen", "\(scheme)://localhost:\(otherPort)/seen",
            "\(scheme)://localhost:\(port)/seen",
            "\(scheme)://127.0.0.1:\(otherPort)/redirect?to=\(url(of: python))/seen",
        ] {
            _ = await failure {
                _ = try await session.send(Endpoint<WhoAmI>.get("/redirect", query: ["to": "\(target)"]))
            }
        }
        let (mine, its) = (try python.counts.headers, try other.counts.headers)
        XCTAssertEqual(its.count, 3)
        let allowed: Set<String> = [
            "host", "user-agent", "accept", "accept-language", "connection", "content-length",
        ]
        for header in its.flatMap(\.self) {
            XCTAssertTrue(allowed.contains(header[0].lowercased()), header[0])
        }
        // Cookies ignore ports, and this cookie's host is 127.0.0.1: only the origin list keeps it from the other
        // server.
        XCTAssertFalse("\(its)".contains("secret"))
        XCTAssertFalse("\(its)".contains("sid="))
        let own = mine.filter { $0.contains(["x-device", "header-secret"]) }
        XCTAssertEqual(own.count, 4, "the first step of each request should carry credentials")
        for headers in own {
            XCTAssertTrue(headers.contains { $0[0].lowercased() == "x-auth-token" })
            XCTAssertTrue(headers.contains { $0[0].lowercased() == "cookie" })
        }
        let byName = mine.filter { $0.contains { $0[1].hasPrefix("localhost:") } }
        XCTAssertEqual(byName.count, 1)
        try route.assertNoLeak(of: ["x-auth-token: t-", "sid=", "header-secret", "auth-secret"])
        XCTAssertFalse(
            byName[0].contains { ["cookie", "x-auth-token", "authorization"].contains($0[0].lowercased()) }
        )
    }
}
