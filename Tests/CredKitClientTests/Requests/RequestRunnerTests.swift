// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Adds a token to requests to one origin, and records the response heads it receives.
private final class TokenInterceptor: RequestInterceptor {
    let origin: Origin
    let heard = Lock<[String]>([])

    init(origin: Origin) { self.origin = origin }

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws -> TransportResponse {
        var request = request
        if next.step.url.origin == origin { request.headerFields[.authorization] = "added-token" }
        let response = try await next(request, body: body)
        let head = response.head
        heard.withLock {
            $0.append("\(next.redirectCount) \(head.status.code) \(head.headerFields[.setCookie] ?? "-")")
        }
        return response
    }
}

/// Redirects on the direct route to the server. `RoutedRequestTests` runs the same tests over other routes.
final class RequestRunnerTests: XCTestCase, RoutedTests {
    private let secret = HTTPField.Name("X-Device")!

    var routeKind = RouteKind.direct

    static var all: [Scenario<RequestRunnerTests>] {
        [
            .init("testCallersHeadersNeverReachAnotherOriginOrReturn") {
                try await $0.testCallersHeadersNeverReachAnotherOriginOrReturn()
            },
            .init("testMethodsAndBodiesFollowTheFetchStandard") {
                try await $0.testMethodsAndBodiesFollowTheFetchStandard()
            },
            .init("testBodyIsNotSentToAnotherOrigin") { try await $0.testBodyIsNotSentToAnotherOrigin() },
            .init("testInvalidLocationsAreRefused") { try await $0.testInvalidLocationsAreRefused() },
            .init("testRelativeOrUntidyLocationsAreFollowed") {
                try await $0.testRelativeOrUntidyLocationsAreFollowed()
            },
            .init("testLoopsEndAndResponsesWithoutLocationAreReturned") {
                try await $0.testLoopsEndAndResponsesWithoutLocationAreReturned()
            },
            .init("testRedirectIsFollowedWithoutWaitingForItsBody") {
                try await $0.testRedirectIsFollowedWithoutWaitingForItsBody()
            },
            .init("testRedirectToALoginPageIsReturned") { try await $0.testRedirectToALoginPageIsReturned() },
            .init("testLargeBodiesArriveComplete") { try await $0.testLargeBodiesArriveComplete() },
            .init("testHTTPSNeverDowngradesToHTTP") { try await $0.testHTTPSNeverDowngradesToHTTP() },
            .init("testCallersCannotSetHeadersOfTheTransport") {
                try await $0.testCallersCannotSetHeadersOfTheTransport()
            },
        ]
    }

    private var shared: HostileServer?
    private var route = Route.direct
    private var transport = CurlTransport.shared

    override func tearDown() {
        route = .direct
        transport = .shared
        shared = nil
    }

    /// Starts a server and selects the route to it.
    private func makeServer() async throws -> HostileServer {
        let server = try shared ?? HostileServer(through: routeKind)
        try await server.forget()
        route = server.route
        transport = try route.transport()
        return server
    }

    /// Reuses the server and route of the previous test: both take longer to start than a test runs.
    func takeOver(from other: RequestRunnerTests?) throws {
        shared = try other?.shared ?? HostileServer(through: routeKind)
    }

    private func runner(for url: HTTPURL, total: Duration = .seconds(60), limit: Int = 16 << 20)
        -> RequestRunner
    {
        RequestRunner(
            transport: transport,
            rules: RedirectRules(
                credentialOrigins: [url.origin],
                allowsInsecureHTTP: route.needsInsecureHTTP
            ),
            total: total,
            maximumBodyByteCount: limit
        )
    }

    private func redirect(_ server: HostileServer, to url: HTTPURL, status: Int = 302) throws -> HTTPURL {
        let target = PercentCoding.component.encode(url.absoluteString.utf8)
        return try server.url("/redirect?status=\(status)&to=\(target)")
    }

    func testCallersHeadersNeverReachAnotherOriginOrReturn() async throws {
        let server = try await makeServer()
        let home = try server.url("/echo")
        for (host, port) in [
            ("127.0.0.2", "main"), ("localhost", "main"), ("[::1]", "main"), ("127.0.0.1", "second"),
        ] {
            let back = "/redirect?to=\(PercentCoding.component.encode(home.absoluteString.utf8))"
            let request = OutgoingRequest(
                url: try redirect(server, to: try server.url(back, host: host, port: port)),
                headers: [secret: "my-device", .accept: "a/b", .authorization: "mine", .cookie: "my-cookie"]
            )
            let interceptor = TokenInterceptor(origin: home.origin)
            let response = try await runner(for: home).run(request, hops: [interceptor])
            XCTAssertEqual(response.outcome.step.redirectCount, 2)
            XCTAssertTrue(response.outcome.step.isRedirectTainted)
            XCTAssertEqual(interceptor.heard.withLock { $0 }, ["0 302 hop=1", "1 302 hop=1", "2 200 -"])
            let log = try await server.log().suffix(3)
            let names = log.map { Set($0.headers.map { $0[0] }).subtracting(route.addedFields) }
            XCTAssertEqual(names[0], ["host", "accept", "authorization", "cookie", "x-device"])
            XCTAssertEqual(names[1], ["host", "accept"])
            XCTAssertEqual(names[2], ["host", "accept", "authorization"])
            XCTAssertEqual(log.last?.header("authorization"), "added-token")
        }
        try route.assertNoLeak(of: ["added-token", "my-device", "my-cookie"])
    }

    func testMethodsAndBodiesFollowTheFetchStandard() async throws {
        let server = try await makeServer()
        let home = try server.url("/echo")
        let cases: [(Int, HTTPRequest.Method, HTTPRequest.Method)] = [
            (301, .post, .get), (302, .post, .get), (303, .post, .get), (307, .post, .post),
            (308, .post, .post),
            (301, .put, .put), (302, .delete, .delete), (303, .put, .get), (303, .head, .head),
            (302, .head, .head),
            (307, .get, .get),
        ]
        for (status, method, expected) in cases {
            let hasBody = method != .get && method != .head
            let request = OutgoingRequest(
                method: method,
                url: try redirect(server, to: home, status: status),
                headers: hasBody ? [.contentType: "text/plain", secret: "mine"] : [secret: "mine"],
                body: hasBody ? HTTPRequestBody(Array("body".utf8)) : nil
            )
            let response = try await runner(for: home).run(request)
            XCTAssertEqual(response.head.status, .ok)
            let last = try await server.log().last
            XCTAssertEqual(last?.method, expected.rawValue, "\(status) \(method)")
            XCTAssertEqual(last?.body, hasBody && expected != .get ? "body" : "", "\(status) \(method)")
            XCTAssertEqual(last?.header("content-type") != nil, hasBody && expected != .get)
            XCTAssertEqual(last?.header("x-device"), "mine")
        }
    }

    func testBodyIsNotSentToAnotherOrigin() async throws {
        let server = try await makeServer()
        let other = try server.url("/echo", host: "127.0.0.2")
        for status in [307, 308] {
            let url = try redirect(server, to: other, status: status)
            let request = OutgoingRequest(method: .post, url: url, body: HTTPRequestBody([1]))
            let error = await assertThrows(.redirectRefused) { try await self.runner(for: url).run(request) }
            XCTAssertEqual(error?.statusCode, status)
        }
        let url = try redirect(server, to: try server.url("/echo"), status: 307)
        let once = HTTPRequestBody(streaming: HTTPResponseBody([1]))
        await assertThrows(.redirectRefused) {
            try await self.runner(for: url).run(OutgoingRequest(method: .post, url: url, body: once))
        }
        let log = try await server.log()
        XCTAssertEqual(log.map(\.at).filter { $0.hasPrefix("127.0.0.2") }, [])
        XCTAssertEqual(log.filter { $0.target == "/echo" }.count, 0)
    }

    func testInvalidLocationsAreRefused() async throws {
        let server = try await makeServer()
        let refused = [
            "javascript:alert(1)", "http://user:word@127.0.0.1/", "\\\\127.0.0.2\\x", "/a\\b", "http:/x",
            "http:x",
            "file:///etc/passwd", "ftp://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "//", "///x",
            "http://127.0.0.1:99999/", "http://[::1", "mailto:x@y",
        ]
        for location in refused {
            let url = try server.url("/raw-location?bytes=\(PercentCoding.component.encode(location.utf8))")
            await assertThrows(.redirectRefused) {
                try await self.runner(for: url).run(OutgoingRequest(url: url))
            }
        }
        let two = try server.url("/two-locations")
        // nginx and HTTP proxies forward one of them unchanged.
        if !route.answersForServers {
            await assertThrows(.redirectRefused) {
                try await self.runner(for: two).run(OutgoingRequest(url: two))
            }
        }
        let insecure = try server.url("/redirect?to=http%3A%2F%2Fschool.example%2F")
        let rules = RedirectRules(credentialOrigins: [insecure.origin], routes: transport.routes)
        await assertThrows(route.isSecure ? .redirectRefused : .insecureConnection) {
            // Through a proxy even the first request is refused.
            try await RequestRunner(transport: self.transport, rules: rules).run(
                OutgoingRequest(url: insecure)
            )
        }
    }

    func testRelativeOrUntidyLocationsAreFollowed() async throws {
        let server = try await makeServer()
        let port = server.port()
        let good = [
            ("/echo?x=1", "/echo?x=1"), ("echo", "/echo"), ("./a/../echo#top", "/echo"),
            ("//127.0.0.1:\(port)/echo", "/echo"), ("/echo?please log in", "/echo?please%20log%20in"),
            // The server writes Latin-1, so these two characters are the UTF-8 encoding of an ä.
            ("/echo?\u{C3}\u{A4}", "/echo?%C3%A4"),
        ]
        for (location, target) in good {
            let url = try server.url("/raw-location?bytes=\(PercentCoding.component.encode(location.utf8))")
            let response = try await runner(for: url).run(OutgoingRequest(url: url))
            XCTAssertEqual(response.outcome.step.url.target, target)
            XCTAssertEqual(response.head.status, .ok)
        }
    }

    func testLoopsEndAndResponsesWithoutLocationAreReturned() async throws {
        let server = try await makeServer()
        let loop = try server.url("/loop")
        await assertThrows(.tooManyRedirects) {
            try await self.runner(for: loop).run(OutgoingRequest(url: loop))
        }
        let log = try await server.log()
        XCTAssertEqual(log.count, 11)
        let nowhere = try server.url("/redirect?status=302")
        let response = try await runner(for: nowhere).run(OutgoingRequest(url: nowhere))
        XCTAssertEqual(response.head.status.code, 302)
    }

    func testRedirectIsFollowedWithoutWaitingForItsBody() async throws {
        let server = try await makeServer()
        for then in ["close", "wait"] {
            let url = try server.url("/redirect-without-its-body?then=\(then)")
            let response = try await runner(for: url).run(OutgoingRequest(url: url))
            XCTAssertEqual(response.outcome.step.url.path, "/echo")
        }
    }

    func testRedirectToALoginPageIsReturned() async throws {
        let server = try await makeServer()
        let url = try redirect(server, to: try server.url("/login?next=1"))
        let response = try await runner(for: url).run(
            OutgoingRequest(url: url),
            stops: { $0.path == "/login" }
        )
        XCTAssertEqual(response.outcome.stoppedAt, try server.url("/login?next=1"))
        let count = try await server.log().count
        XCTAssertEqual(count, 1)
    }

    func testLargeBodiesArriveComplete() async throws {
        let server = try await makeServer()
        let runner = runner(for: try server.url("/"))
        for mode in ["chunked", "length"] {
            let url = try server.url("/big?bytes=4194304&mode=\(mode)")
            let collected = try await runner.run(OutgoingRequest(url: url)).body
            XCTAssertEqual(collected.count, 4 << 20)
            var count = 0
            for try await piece in try await runner.stream(OutgoingRequest(url: url)).body {
                count += piece.count
            }
            XCTAssertEqual(count, 4 << 20)
        }
        let body = [UInt8](repeating: UInt8(ascii: "b"), count: 1 << 20)
        let sent = OutgoingRequest(method: .put, url: try server.url("/echo"), body: HTTPRequestBody(body))
        let answer = try await runner.run(sent)
        XCTAssertEqual(answer.head.status, .ok)
        XCTAssertGreaterThan(answer.body.count, 1 << 20)
    }

    func testHTTPSNeverDowngradesToHTTP() async throws {
        guard routeKind.isDirect else { return }
        let server = try HostileServer(tls: true)
        let plain = try server.url("/echo")
        let url = try server.url(
            "/redirect?to=\(PercentCoding.component.encode(plain.absoluteString.utf8))",
            host: "localhost",
            port: "good",
            scheme: "https"
        )
        let runner = RequestRunner(
            transport: try CurlTransport(
                .trusting(server.start.authority)
            ),
            rules: RedirectRules(credentialOrigins: [url.origin, plain.origin], allowsInsecureHTTP: true)
        )
        await assertThrows(.redirectRefused) { try await runner.run(OutgoingRequest(url: url)) }
        let log = try await server.log()
        XCTAssertEqual(log.filter { $0.target == "/echo" }.count, 0)
    }

    func testCallersCannotSetHeadersOfTheTransport() async throws {
        let url = try HTTPURL("http://127.0.0.1:9/")
        for name in ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Expect"] {
            let request = OutgoingRequest(url: url, headers: [HTTPField.Name(name)!: "1"])
            await assertThrows(.invalidRequest) { try await self.runner(for: url).run(request) }
        }
        let clear = try HTTPURL("http://school.example/")
        await assertThrows(.insecureConnection) {
            try await self.runner(for: clear).run(OutgoingRequest(url: clear))
        }
    }
}
