// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitClient

@Suite struct CallbackServerTests {
    /// A request that breaks one rule, and how it is answered.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: String
        var status = "400 Bad Request"
        /// Whether it counts as an answer that was rejected.
        var counts = false

        init(_ rule: String, _ request: String, _ status: String = "400 Bad Request", counts: Bool = false) {
            (testDescription, self.request, self.status, self.counts) = (rule, request, status, counts)
        }
    }

    private static let end = " HTTP/1.1\r\nHost: HOST\r\n\r\n"
    private static let get = "GET /cb?code=c&state=s"
    private static let line = "\(get) HTTP/1.1\r\n"
    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"
    private static let wrongMethod = "405 Method Not Allowed"

    static let cases: [Case] = [
        Case("another state", "GET /cb?code=c&state=t\(end)", counts: true),
        Case("no state", "GET /cb?code=c\(end)", counts: true),
        Case("no query", "GET /cb\(end)", counts: true),
        Case("an error without a state", "GET /cb?error=access_denied\(end)", counts: true),
        Case("another path", "GET /?code=c&state=s\(end)", counts: true),
        Case("a longer path", "GET /cb/?code=c&state=s\(end)", counts: true),
        Case("another spelling of the path", "GET /%63b?code=c&state=s\(end)", counts: true),
        Case("a path in upper case", "GET /CB?code=c&state=s\(end)", counts: true),
        Case("HEAD", "HEAD /cb?code=c&state=s\(end)", wrongMethod),
        Case("OPTIONS", "OPTIONS /cb?code=c&state=s\(end)", wrongMethod),
        Case("PUT", "PUT /cb?code=c&state=s\(end)", wrongMethod),
        Case(
            "a form that was not asked for",
            "POST /cb HTTP/1.1\r\nHost: HOST\r\n\(form)Content-Length: 14\r\n\r\ncode=c&state=s",
            wrongMethod
        ),
        Case("a picture of the page", "GET /favicon.ico\(end)", "404 Not Found"),
        Case(
            "a picture of the page, as browsers ask for it",
            "GET /favicon.ico HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Dest: image\r\n\r\n",
            "404 Not Found"
        ),
        Case("no Host", "\(line)\r\n"),
        Case("a foreign Host", "\(line)Host: evil.example\r\n\r\n"),
        Case("a Host without the port", "\(line)Host: 127.0.0.1\r\n\r\n"),
        Case("a Host with another port", "\(line)Host: HOST0\r\n\r\n"),
        Case("another name of this computer", "\(line)Host: localhost:80\r\n\r\n"),
        Case("two Hosts", "\(line)Host: HOST\r\nHost: HOST\r\n\r\n"),
        Case("an image", "\(line)Host: HOST\r\nSec-Fetch-Dest: image\r\n\r\n"),
        Case("a script", "\(line)Host: HOST\r\nSec-Fetch-Dest: empty\r\n\r\n"),
        Case("a frame", "\(line)Host: HOST\r\nSec-Fetch-Dest: iframe\r\n\r\n"),
        Case(
            "two destinations",
            "\(line)Host: HOST\r\nSec-Fetch-Dest: image\r\nSec-Fetch-Dest: document\r\n\r\n"
        ),
        Case("a body", "\(line)Host: HOST\r\nContent-Length: 1\r\n\r\nx"),
        Case("a chunked body", "\(line)Host: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case("a URL in place of a path", "GET http://127.0.0.1/cb?code=c&state=s\(end)"),
        Case("another version", "\(get) HTTP/2.0\r\nHost: HOST\r\n\r\n"),
        Case("no version", "\(get)\r\nHost: HOST\r\n\r\n"),
        Case("a method in lower case", "get /cb?code=c&state=s\(end)"),
        Case("TLS", "\u{16}\u{03}\u{01}"),
        Case("two blanks", "GET  /cb?code=c&state=s\(end)"),
        Case("a line without CR", "\(get) HTTP/1.1\nHost: HOST\r\n\r\n"),
        Case("a field without CR", "\(line)X: yz\nHost: HOST\r\n\r\n"),
        Case("a continued line", "\(line)Host: HOST\r\n x: y\r\n\r\n"),
        Case("a control character", "\(line)Host: HOST\r\nX: \u{1B}[31m\r\n\r\n"),
        Case("a fragment", "GET /cb?code=c&state=s#x\(end)"),
        Case("bytes that are not UTF-8", "GET /cb?code=%FF&state=s\(end)"),
        Case("a large head", "\(line)Host: HOST\r\nX: \(String(repeating: "x", count: 17_000))\r\n\r\n"),
        Case("many fields", "\(line)Host: HOST\r\n\(String(repeating: "a:\r\n", count: 100))\r\n"),
    ]

    /// A request that breaks one rule consumes nothing: the right answer is accepted afterwards.
    @Test(arguments: CallbackServerTests.cases)
    func rule(_ rule: Case) async throws {
        let scene = try CallbackScene()
        let response = try await scene.exchange(rule.request)
        #expect(response.hasPrefix("HTTP/1.1 \(rule.status)\r\n"), "\(response)")
        if rule.testDescription == "HEAD" { #expect(response.hasSuffix("\r\n\r\n")) }
        let page = try await scene.complete()
        #expect(page.contains("You are logged in"))
        #expect(scene.notices.withLock { $0 } == (rule.counts ? [.wrongAnswer] : []))
    }

    private static func post(_ type: String, _ body: String, path: String = "/cb") -> String {
        "POST \(path) HTTP/1.1\r\nHost: HOST\r\n\(type)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func formIsAcceptedIfItWasAskedFor() async throws {
        let scene = try CallbackScene(acceptsForms: true)
        let page = try await scene.complete(with: Self.post(Self.form, "code=c&state=s"))
        #expect(page.contains("You are logged in"))
        let other = try CallbackScene(acceptsForms: true)
        let type = "Content-Type: Application/X-WWW-Form-URLencoded ; charset=utf-8\r\n"
        #expect(
            try await other.complete(with: Self.post(type, "code=c&state=s")).contains("You are logged in")
        )
        // A server may ignore the wish.
        #expect(try await CallbackScene(acceptsForms: true).complete().contains("You are logged in"))
    }

    static let otherForms: [String] = [
        post("", "code=c&state=s"), post("Content-Type: text/plain\r\n", "code=c&state=s"),
        post(form, "code=c&state=s", path: "/cb?state=s"), post(form, "code=c&state=t"),
        "POST /cb HTTP/1.1\r\nHost: HOST\r\n\(form)Content-Length: 65537\r\n\r\n",
        "POST /cb HTTP/1.1\r\nHost: HOST\r\n\(form)Content-Length: -1\r\n\r\n",
        // Of two values, the last one would do.
        post(form + "Content-Length: 14\r\n", "code=c&state=s"),
        post("Content-Type: text/plain\r\n" + form, "code=c&state=s"),
    ]

    @Test(arguments: CallbackServerTests.otherForms)
    func otherFormsAreNot(request: String) async throws {
        let scene = try CallbackScene(acceptsForms: true)
        let response = try await scene.exchange(request)
        #expect(response.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(response)")
        _ = try await scene.complete()
    }

    @Test(arguments: CallbackEnding.allCases)
    func pageTellsHowTheLoginEnded(ending: CallbackEnding) async throws {
        let page = try await CallbackScene().complete(ending)
        let title =
            switch ending {
            case .succeeded: "You are logged in"
            case .refused: "The login was refused"
            case .failed: "The login failed"
            }
        #expect(page.contains("<h1>\(title)</h1>"))
        #expect(page.contains("logged in") == (ending == .succeeded))
    }

    @Test func repeatedAnswersGetTheSamePage() async throws {
        let scene = try CallbackScene(BrowserConnection.quietRedirect)
        async let first = scene.exchange()
        _ = try await scene.login.value.get()
        let second = try BrowserConnection(port: scene.server.port)
        second.send(CallbackScene.answer.replacing("HOST", with: "127.0.0.1:\(scene.server.port)"))
        // Connections are accepted in their order, so that the second is served before this one.
        let wrong = try await scene.exchange("GET /cb?code=c&state=t" + Self.end)
        #expect(wrong.contains("Not the expected answer"))
        await scene.server.finish(.failed)
        #expect(try await first.contains("The login failed"))
        #expect(second.receiveAll()?.contains("The login failed") == true)
        await scene.server.finish(.succeeded)
        #expect(throws: BrowserConnection.Refused.self) { _ = try BrowserConnection(port: scene.server.port) }
    }

    @Test func tooManyWrongAnswersEndTheLogin() async throws {
        let scene = try CallbackScene(BrowserConnection.quietRedirect)
        for _ in 0..<19 { _ = try await scene.exchange("GET /cb?code=c&state=t" + Self.end) }
        // These are no answers, and do not count.
        for _ in 0..<3 { _ = try await scene.exchange("GET /favicon.ico" + Self.end) }
        let last = try await scene.exchange("GET /cb?code=c&state=t" + Self.end)
        #expect(last.contains("Not the expected answer"))
        let error = await failure { _ = try await scene.login.value.get() }
        #expect(error == .loginAbandoned && error?.description.contains("too many answers") == true)
        #expect(scene.notices.withLock { $0 } == [.wrongAnswer])
        #expect(throws: BrowserConnection.Refused.self) { _ = try BrowserConnection(port: scene.server.port) }
    }

    @Test func timeEnds() async throws {
        let scene = try CallbackScene(BrowserConnection.quietRedirect, within: .milliseconds(1))
        await #expect(throws: ClientError.loginAbandoned) { _ = try await scene.login.value.get() }
        #expect(throws: BrowserConnection.Refused.self) { _ = try BrowserConnection(port: scene.server.port) }
    }

    @Test func cancellationClosesThePort() async throws {
        let scene = try CallbackScene(BrowserConnection.quietRedirect)
        scene.login.cancel()
        await #expect(throws: ClientError.cancelled) { _ = try await scene.login.value.get() }
        #expect(throws: BrowserConnection.Refused.self) { _ = try BrowserConnection(port: scene.server.port) }
    }

    @Test func forgottenLoginIsShownAsAFailure() async throws {
        var server: CallbackServer? = try CallbackServer.start(
            LoopbackRedirect("http://127.0.0.1/cb"),
            acceptsForms: false
        )
        let port = try #require(server?.port)
        let text = CallbackScene.answer.replacing("HOST", with: "127.0.0.1:\(port)")
        async let page = BrowserConnection.exchange(text, port: port)
        _ = try await server?.answer(within: .seconds(300), judging: { _ in .accept })
        server = nil
        #expect(try await page.contains("The login failed"))
    }

    @Test func serverThatIsNotUsedIsClosed() async throws {
        let server = try CallbackServer.start(
            LoopbackRedirect(BrowserConnection.quietRedirect),
            acceptsForms: false
        )
        await server.finish(.failed)
        #expect(throws: BrowserConnection.Refused.self) { _ = try BrowserConnection(port: server.port) }
        await #expect(throws: ClientError.cancelled) {
            _ = try await server.answer(within: .seconds(300), judging: { _ in .accept })
        }
    }

    @Test func silentConnectionsDelayNothing() async throws {
        let scene = try CallbackScene(limits: CallbackLimits(connectionTime: .seconds(600)))
        let port = scene.server.port
        let silent = try (0..<6).map { _ in try BrowserConnection(port: port) }
        #expect(try await scene.complete().contains("You are logged in"))
        withExtendedLifetime(silent) {}
    }

    @Test func portScanDelaysNothing() async throws {
        let scene = try CallbackScene()
        let port = scene.server.port
        let count = TestForm.isDeep ? 1000 : 100
        let scanned = await DetachedThread.value { () -> Bool in
            // Every tenth sends a part of a request, and every third is closed at once.
            var kept: [BrowserConnection] = []
            for number in 0..<count {
                guard let connection = try? BrowserConnection(port: port) else { return false }
                if number % 10 == 0 { connection.send("GET /") }
                if number % 3 != 0 { kept.append(connection) }
                if kept.count > 64 { kept.removeFirst() }
            }
            return true
        }
        #expect(scanned == true)
        #expect(try await scene.complete().contains("You are logged in"))
        #expect(scene.notices.withLock { $0 }.isEmpty)
    }

    @Test func slowConnectionIsClosed() async throws {
        let scene = try CallbackScene(limits: CallbackLimits(connectionTime: .seconds(1)))
        #expect(try await scene.exchange("GET /cb?code=c&sta") == "")
        scene.login.cancel()
    }

    @Test(.enabled(if: getuid() == 0))
    func anotherUserWithTheRightStateIsRefused() async throws {
        let scene = try CallbackScene()
        let port = scene.server.port
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'GET /cb?code=theirs&state=s HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&3
            cat <&3
            """
        let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let outcome = await DetachedThread.value {
            Result {
                try Program.run(user + ["bash", "-c", script], in: URL(fileURLWithPath: "/"), errors: .kept)
                    .text
            }
        }
        #expect(try outcome?.get() == "")
        #expect(try await scene.complete().contains("You are logged in"))
        #expect(scene.notices.withLock { $0 }.isEmpty)
    }

    @Test func registeredPortIsThatOneOrNone() async throws {
        let port = try FreePort()
        let text = "http://127.0.0.1:\(port.number)/cb"
        #expect(throws: ClientError.browserUnavailable) {
            _ = try CallbackServer.start(LoopbackRedirect(text), acceptsForms: false)
        }
        withExtendedLifetime(port) {}
    }

    @Test func redirectHasThePort() async throws {
        let scene = try CallbackScene()
        #expect(scene.server.redirectURL == "http://127.0.0.1:\(scene.server.port)/cb")
        _ = try await scene.complete()
        let local = try CallbackScene("http://localhost")
        #expect(local.server.redirectURL == "http://localhost:\(local.server.port)")
        let request = "GET /?code=c&state=s HTTP/1.1\r\nHost: LocalHost:\(local.server.port)\r\n\r\n"
        #expect(try await local.complete(with: request).contains("You are logged in"))
    }
}
