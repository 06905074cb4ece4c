// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

final class CurlTransportTests: XCTestCase {
    private func runner(_ transport: CurlTransport = .shared) -> RequestRunner {
        RequestRunner(transport: transport, rules: .init(credentialOrigins: []), total: .seconds(20))
    }

    func testRequestArrivesUnchanged() async throws {
        let server = try HostileServer()
        for host in ["127.0.0.1", "127.0.0.2", "[::1]", "localhost"] {
            let url = try server.url("//a%20b/%C3%A4;x=1:@?q=%2B+&a[]=%zz'", host: host)
            let request = OutgoingRequest(
                method: .post,
                url: try server.url("/echo"),
                headers: [.userAgent: "test", HTTPField.Name("X-Twice")!: "1"],
                body: HTTPRequestBody(Array("käse".utf8))
            )
            let response = try await runner().run(request)
            XCTAssertEqual(response.head.status, .ok)
            XCTAssertEqual(response.head.headerFields[HTTPField.Name("x-echo")!], "yes")
            await assertNotFound { try await self.runner().run(OutgoingRequest(url: url)) }
            let log = try await server.log()
            XCTAssertEqual(log[log.count - 2].body, "kÃ¤se")
            XCTAssertEqual(log[log.count - 2].header("user-agent"), "test")
            XCTAssertEqual(log[log.count - 1].target, "//a%20b/%C3%A4;x=1:@?q=%2B+&a%5B%5D=%25zz'")
            let port = server.start.ports["main"] ?? 0
            XCTAssertEqual(log[log.count - 1].header("host"), "\(host):\(port)")
        }
    }

    func testTransportPassesTheCommonSuite() async throws {
        try await TransportSuite { try CurlTransport(.init()) }.run()
    }

    private func assertNotFound(_ send: () async throws -> FinalResponse<[UInt8]>) async {
        do {
            let status = try await send().head.status
            XCTAssertEqual(status, .notFound)
        } catch { XCTFail("\(error)") }
    }

    func testStreamedBodyArrivesComplete() async throws {
        let server = try HostileServer()
        for count in [nil, Int64(300_000)] {
            let stream = HTTPResponseBody {
                var left = 3
                return .init { () throws(ClientError) in
                    left -= 1
                    return left < 0
                        ? nil : [UInt8](repeating: UInt8(ascii: "0") + UInt8(left), count: 100_000)
                }
            }
            let response = try await runner().run(
                OutgoingRequest(
                    method: .put,
                    url: try server.url("/echo"),
                    body: .init(streaming: stream, byteCount: count)
                )
            )
            XCTAssertEqual(response.head.status, .ok)
            let body = try await server.log().last?.body
            XCTAssertEqual(
                body,
                ["2", "1", "0"].map { String(repeating: $0, count: 100_000) }.joined()
            )
        }
    }

    func testMalformedResponsesDoNotCrash() async throws {
        let server = try HostileServer()
        let run = { (answer: String) in
            let bytes = answer.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined()
            return try await RequestRunner(
                transport: CurlTransport.shared,
                rules: .init(credentialOrigins: []),
                total: .seconds(5),
                maximumBodyByteCount: 1 << 20
            ).run(OutgoingRequest(url: try server.url("/raw?bytes=\(bytes)")))
        }
        // A status below 100, which crashes AsyncHTTPClient itself.
        for status in ["099", "000", "001"] {
            await assertThrows(.malformedResponse) {
                try await run("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let chunked = "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
        for answer in [
            "HTTP/1.1 99999999999999999999 X\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 X\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
            "HTTP/1.1 200 X\r\nContent-Length: -5\r\n\r\nabc",
            "HTTP/1.1 200 X\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 ~reason", "HTTP/1.1 200 X\r\n~name", "HTTP/1.1 103 X\r\nLink: ~x",
            "\(chunked)1;~extension", "\(chunked)~0", "\(chunked)1\r\nx\r\n0\r\n~a: b\r\n",
            "\(chunked)~1\r\nx\r\n",
        ] {
            do {
                _ = try await run(answer)
                XCTFail("no error for \(answer.prefix(60))")
            } catch {
                let errors: [ClientError] = [.malformedResponse, .overLimit, .noResponse, .timedOut]
                XCTAssertTrue(
                    errors.contains(error as? ClientError ?? .cancelled),
                    "\(answer.prefix(60)): \(error)"
                )
            }
        }
    }

    func testErrorMessagesNameTheFailure() async throws {
        let server = try HostileServer()
        let run = { (target: String) in
            try await self.runner().run(OutgoingRequest(url: try server.url(target)))
        }
        let refused = await assertThrows(.noConnection) {
            try await self.runner().run(OutgoingRequest(url: try server.url("/", port: "closed")))
        }
        XCTAssertTrue("\(try XCTUnwrap(refused))".contains("refused"), "\(refused as Any)")
        XCTAssertEqual(refused?.legacyCode, -10)
        let unknown = await assertThrows(.noConnection) {
            try await self.runner().run(OutgoingRequest(url: try HTTPURL("https://no-such-host.invalid/")))
        }
        XCTAssertTrue("\(try XCTUnwrap(unknown))".contains("no such host"), "\(unknown as Any)")
        let closed = await assertThrows(.noResponse) { try await run("/close") }
        XCTAssertEqual(closed?.legacyCode, -11)
        for mode in ["length", "chunked", "between"] {
            let half = await assertThrows(.noResponse) { try await run("/half?mode=\(mode)") }
            XCTAssertTrue("\(try XCTUnwrap(half))".contains("in the middle"), "\(mode): \(half as Any)")
        }
        await assertThrows(.malformedResponse) { try await run("/junk") }
    }

    func testAllKindsOfResponsesAreRead() async throws {
        let server = try HostileServer()
        let run = { (target: String) in
            try await self.runner().run(OutgoingRequest(url: try server.url(target)))
        }
        let old = try await run("/old")
        XCTAssertEqual(String(decoding: old.body, as: UTF8.self), "until the end")
        let continued = try await run("/continues")
        XCTAssertEqual(continued.head.status.code, 200)
        XCTAssertEqual(String(decoding: continued.body, as: UTF8.self), "ok")
        for code in [204, 304, 401, 500] {
            let response = try await run("/status?code=\(code)")
            XCTAssertEqual(response.head.status.code, code)
            XCTAssertEqual(response.body.count, code < 400 ? 0 : 2)
        }
        let head = try await runner().run(OutgoingRequest(method: .head, url: try server.url("/echo")))
        XCTAssertEqual(head.body, [])
        XCTAssertNotNil(head.head.headerFields[.contentLength])
    }

    func testHeaderSizeIsLimited() async throws {
        let server = try HostileServer()
        let run = { (target: String) in
            try await self.runner().run(OutgoingRequest(url: try server.url(target)))
        }
        await assertThrows(.overLimit) { try await run("/endless-headers") }
        await assertThrows(.overLimit) { try await run("/endless-header") }
        await assertThrows(.overLimit) { try await run("/set-cookies?count=10000") }
        let many = try await run("/set-cookies?count=200")
        XCTAssertEqual(many.head.headerFields[values: .setCookie].count, 200)
    }

    func testHostileCookiesArriveAsText() async throws {
        let server = try HostileServer()
        let response = try await runner().run(OutgoingRequest(url: try server.url("/hostile-cookie")))
        let values = response.head.headerFields[values: .setCookie]
        XCTAssertEqual(values.count, 4)
        XCTAssertEqual(values[1], ";;")
        XCTAssertEqual(values[2], "")
        XCTAssertEqual(values[3], "a=ä")
    }

    func testSilenceEndsWithTheIdleTimeout() async throws {
        let server = try HostileServer()
        let transport = try CurlTransport(.init(idleTimeout: .milliseconds(300)))
        for path in ["/silent", "/head-only"] {
            await assertThrows(.timedOut) {
                try await self.runner(transport).run(OutgoingRequest(url: try server.url(path)))
            }
        }
    }

    func testCertificateMustBeTrustedAndMatchTheHost() async throws {
        let server = try HostileServer(tls: true)
        let trusting = try CurlTransport(.trusting(server.start.authority))
        let run = { (transport: CurlTransport, port: String, host: String) in
            try await self.runner(transport).run(
                OutgoingRequest(url: try server.url("/echo", host: host, port: port, scheme: "https"))
            )
        }
        for host in ["localhost", "127.0.0.1"] {
            let response = try await run(trusting, "good", host)
            XCTAssertEqual(response.head.status, .ok)
        }
        let unknown = await assertThrows(.untrustedServer) { try await run(.shared, "good", "localhost") }
        XCTAssertTrue("\(try XCTUnwrap(unknown))".contains("issuer"), "\(unknown as Any)")
        let other = await assertThrows(.untrustedServer) { try await run(trusting, "other", "localhost") }
        XCTAssertTrue("\(try XCTUnwrap(other))".contains("only valid for"), "\(other as Any)")
        await assertThrows(.untrustedServer) { try await run(trusting, "expired", "localhost") }
        await assertThrows(.untrustedServer) { try await run(trusting, "alone", "localhost") }
    }

    /// RFC 8996: TLS 1.0 and 1.1 must not be used, even with a server whose certificate is trusted.
    func testDeprecatedTLSVersionsAreRefused() async throws {
        let server = try HostileServer(tls: true)
        let trusting = try CurlTransport(.trusting(server.start.authority))
        for port in ["old", "older"] {
            let error = await assertThrows(.untrustedServer) {
                try await runner(trusting).run(
                    OutgoingRequest(
                        url: try server.url("/echo", host: "localhost", port: port, scheme: "https")
                    )
                )
            }
            XCTAssertTrue("\(try XCTUnwrap(error))".contains("TLS"), "\(error as Any)")
        }
        let answered = try await runner(trusting).run(
            OutgoingRequest(url: try server.url("/echo", host: "localhost", port: "good", scheme: "https"))
        )
        XCTAssertEqual(answered.head.status, .ok)
    }

    func testFileWithoutCertificatesIsRefused() {
        for path in ["/nowhere/ca.pem", #filePath] {
            XCTAssertThrowsError(try CurlTransport(.trusting(path))) {
                XCTAssertTrue(
                    [.unreadableFile, .invalidCertificateFile].contains($0 as? ClientError),
                    "\($0)"
                )
            }
        }
    }

    func testInvalidRequestsAreNotSent() async {
        let heads = [
            HTTPRequest(method: .get, scheme: "ftp", authority: "127.0.0.1", path: "/"),
            HTTPRequest(method: .get, scheme: nil, authority: "127.0.0.1", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "user@127.0.0.1", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1/@evil", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "@evil.example/"),
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/a b"),
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/#x"),
            HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/%2"),
            HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "127.0.0.1",
                path: "/",
                headerFields: [HTTPField.Name("Host")!: "evil.example"]
            ),
        ]
        for head in heads {
            await assertThrows(.invalidRequest) {
                try await CurlTransport.shared.send(head, body: nil, deadline: .now + .seconds(5))
            }
        }
    }

    func testNoHeaderCanBeginAnother() async throws {
        let server = try HostileServer()
        let name = try XCTUnwrap(HTTPField.Name("X-Name"))
        for value in ["a\r\nX-Admin: 1", "a\nX-Admin: 1", "a\rX-Admin: 1", "a\0X-Admin: 1"] {
            var request = OutgoingRequest(url: try server.url("/echo"))
            request.headers.append(HTTPField(name: name, value: value))
            request.headers.append(HTTPField(name: .cookie, lenientValue: Array(value.utf8)))
            _ = try await runner().run(request)
            let headers = try await server.log().last?.headers ?? []
            XCTAssertEqual(headers.map { $0[0] }.sorted(), ["cookie", "host", "x-name"], "\(headers)")
            XCTAssertEqual(headers.first { $0[0] == "x-name" }?[1].hasSuffix(" X-Admin: 1"), true)
        }
        let count = try await server.log().count
        for control in ["\u{1B}", "\u{7F}", "\u{8}"] {
            await assertThrows(.invalidRequest) {
                var request = OutgoingRequest(url: try server.url("/echo"))
                request.headers.append(HTTPField(name: name, lenientValue: Array("a\(control)b".utf8)))
                return try await runner().run(request)
            }
        }
        for method in ["CONNECT", "connect"] {
            await assertThrows(.invalidRequest) {
                let method = try XCTUnwrap(HTTPRequest.Method(method))
                return try await runner().run(OutgoingRequest(method: method, url: try server.url("/echo")))
            }
        }
        let now = try await server.log().count
        XCTAssertEqual(now, count, "an invalid request was sent")
    }

    func testCarriageReturnInAResponseHeadIsMalformed() async throws {
        let server = try HostileServer()
        let run = { (answer: String) in
            let bytes = PercentCoding.component.encode(answer.utf8)
            return try await self.runner().run(
                OutgoingRequest(url: try server.url("/raw?bytes=\(bytes)"))
            )
        }
        let end = "Content-Length: 2\r\n\r\nok"
        for head in [
            "HTTP/1.1 200 X\r\nX-A: 1\rX-B: 2\r\n", "HTTP/1.1 200 X\rX-B: 2\r\n",
            "HTTP/1.1 200 X\r\nX-A:\r1\r\n",
            "HTTP/1.1 200 X\r\nSet-Cookie: a=1\rX-B: 2\r\n", "HTTP/1.1 200 X\r\nX-A: 1\r\n X\rB: 2\r\n",
        ] {
            await assertThrows(.malformedResponse) { try await run(head + end) }
        }
        // Some servers end a line with two of them.
        let doubled = try await run("HTTP/1.1 200 X\r\r\nX-A: 1\r\r\n 2\r\n" + end)
        XCTAssertEqual(doubled.head.status.reasonPhrase, "X")
        XCTAssertEqual(doubled.head.headerFields[try XCTUnwrap(HTTPField.Name("X-A"))], "1 2")
    }

    func testControlCharactersInCookiesAndRedirectsAreRejected() async throws {
        let server = try HostileServer()
        let answer =
            "HTTP/1.1 200 X\r\nSet-Cookie: a=\u{1B}[31m\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"
        let url = try server.url("/raw?bytes=\(PercentCoding.component.encode(answer.utf8))")
        let response = try await runner().run(OutgoingRequest(url: url))
        var jar = CookieJar()
        let stored = jar.store(response.head.headerFields[values: .setCookie], from: url)
        XCTAssertEqual(stored.rejections.map(\.reason), [.controlCharacter])
        XCTAssertEqual(jar.header(for: url), "b=2")
        await assertThrows(.redirectRefused) {
            try await self.runner().run(
                OutgoingRequest(url: try server.url("/raw-location?bytes=/echo%1B[31m"))
            )
        }
    }

    func testBytesOfAHeaderAreUnchanged() async throws {
        let server = try HostileServer()
        // hostile_server.py reads the query as UTF-8, and writes the characters as ISO 8859-1.
        let answer = "HTTP/1.1 200 X\r\nX-A: \u{E9}\u{9B}\u{1B}\r\nContent-Length: 0\r\n\r\n"
        let url = try server.url("/raw?bytes=\(PercentCoding.component.encode(answer.utf8))")
        let response = try await runner().run(OutgoingRequest(url: url))
        let field = response.head.headerFields.first { $0.name.canonicalName == "x-a" }
        XCTAssertEqual(field?.withUnsafeBytesOfValue { Array($0) }, [0xE9, 0x9B, 0x1B])
    }

    func testBodyOutlivesTheTransport() async throws {
        let server = try HostileServer()
        var transport: CurlTransport? = try CurlTransport(.init())
        weak let gone = transport
        let response = try await transport?.send(
            HTTPRequest(
                method: .get,
                scheme: "http",
                authority: server.url("/").origin.authority,
                path: "/big?bytes=10485760"
            ),
            body: nil,
            deadline: .now + .seconds(10)
        )
        transport = nil
        var count = 0
        do {
            let body = try XCTUnwrap(response).body
            for try await piece in body { count += piece.count }
        }
        XCTAssertEqual(count, 10_485_760)
        _ = gone
    }

    /// A server would read bytes beyond the declared length as another request.
    func testStreamedBodyMustHaveItsDeclaredLength() async throws {
        let server = try HostileServer()
        for (declared, text) in [(Int64(5), "01234GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"), (50, "01234")]
        {
            let body = HTTPRequestBody(streaming: HTTPResponseBody(Array(text.utf8)), byteCount: declared)
            await assertThrows(.invalidRequest) {
                try await self.runner().run(
                    OutgoingRequest(method: .put, url: try server.url("/echo"), body: body)
                )
            }
        }
        let targets = try await server.log().map(\.target)
        XCTAssertFalse(targets.contains("/smuggled"))
    }

    /// libcurl may not ask for what follows the declared length: it would end the body there, and no one would know of the rest.
    func testPieceBehindTheDeclaredLengthFailsTheRequest() async throws {
        let server = try HostileServer()
        let body = HTTPResponseBody {
            var pieces = ["01234", "5"].makeIterator()
            return .init { pieces.next().map { Array($0.utf8) } }
        }
        await assertThrows(.invalidRequest) {
            try await self.runner().run(
                OutgoingRequest(
                    method: .put,
                    url: try server.url("/echo"),
                    body: HTTPRequestBody(streaming: body, byteCount: 5)
                )
            )
        }
    }

    func testRequestWithoutABodySendsNone() async throws {
        let server = try HostileServer()
        for method in [HTTPRequest.Method.head, .trace] {
            await assertThrows(.invalidRequest) {
                try await self.runner().run(
                    OutgoingRequest(method: method, url: try server.url("/echo"), body: HTTPRequestBody([1]))
                )
            }
        }
    }

    /// libcurl takes a connection with unread input for a live one, and that input for the next response.
    func testUnsolicitedResponseIsNotTakenForTheNext() async throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", TestScripts.path("idle_server.py")]
        process.standardInput = input
        process.standardOutput = output
        try process.start()
        defer { process.terminate() }
        let line = {
            var bytes: [UInt8] = []
            while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        let url = try HTTPURL("http://127.0.0.1:\(try line())/x")
        let runner = runner(try CurlTransport(.init(idleTimeout: .seconds(14))))
        for _ in 1...2 {
            let body = try await runner.run(OutgoingRequest(url: url)).body
            XCTAssertEqual(String(decoding: body, as: UTF8.self), "GET /x")
        }
        input.fileHandleForWriting.write(Data("\n".utf8))
        XCTAssertEqual(try line(), "sent")
        let response = try await runner.run(
            OutgoingRequest(method: .post, url: url, body: HTTPRequestBody([]))
        )
        XCTAssertEqual(response.head.status, .ok)
        XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "POST /x")
    }
}
