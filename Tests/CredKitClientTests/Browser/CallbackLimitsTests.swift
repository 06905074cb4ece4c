// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Testing

@testable import CredKitClient

/// What many or slow connections do to a login that waits, and what its user is told.
@Suite struct CallbackLimitsTests {
    private static let favicon = "GET /favicon.ico HTTP/1.1\r\nHost: HOST\r\n\r\n"

    @Test func limits() {
        let limits = CallbackLimits()
        #expect(limits.connectionCount == 16)
        #expect(limits.connectionTime == .seconds(10))
        #expect(limits.headByteCount == 16 << 10)
        #expect(limits.formByteCount == 64 << 10)
        #expect(limits.rejectionCount == 20)
        #expect(LoginSession.Configuration().browserDeadline == .seconds(300))
    }

    /// Connections that have sent nothing give way first, then other ones, and one with the answer never.
    @Test func connectionsThatGiveWay() async throws {
        let scene = try CallbackScene(limits: CallbackLimits(connectionTime: .seconds(600)))
        let port = scene.server.port
        let text = CallbackScene.answer.replacing("HOST", with: "127.0.0.1:\(port)")
        let slow = try BrowserConnection(port: port)
        slow.send(String(text.prefix(20)))
        // Connections are served in their order: when this one is answered, all before it are open.
        _ = try await scene.exchange(Self.favicon)
        let silent = try (0..<16).map { _ in try BrowserConnection(port: port) }
        _ = try await scene.exchange(Self.favicon)
        #expect(silent[0].receiveAll() == "")
        slow.send(String(text.dropFirst(20)))
        _ = try await scene.login.value.get()
        let busy = try (0..<17).map { _ in
            let connection = try BrowserConnection(port: port)
            connection.send("GET /")
            return connection
        }
        _ = try await scene.exchange(Self.favicon)
        #expect(busy[0].receiveAll() == "")
        await scene.server.finish(.succeeded)
        #expect(slow.receiveAll()?.contains("You are logged in") == true)
        withExtendedLifetime((silent, busy)) {}
    }

    /// A login may take longer after the answer than a connection before it.
    @Test func connectionWithTheAnswerHasTime() async throws {
        let scene = try CallbackScene(limits: CallbackLimits(connectionTime: .milliseconds(20)))
        async let page = scene.exchange()
        _ = try await scene.login.value.get()
        // It was opened later, so that the time of the one before is over as well.
        #expect(try await scene.exchange("GET /") == "")
        await scene.server.finish(.succeeded)
        #expect(try await page.contains("You are logged in"))
    }

    /// A server that has changed the host of the redirect URL would be waited for to the end, without a word.
    @Test func rightAnswerAtAnotherHostIsTold() async throws {
        let scene = try CallbackScene()
        let port = scene.server.port
        func answer(_ host: String, _ target: String = "/cb?code=c&state=s") async throws {
            let response = try await scene.exchange("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(response.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(response)")
        }
        // Any page can send these.
        try await answer("localhost:\(port)", "/cb?code=c&state=t")
        try await answer("localhost:\(port)", "/?code=c&state=s")
        try await answer("localhost:1")
        try await answer("evil.example:\(port)")
        #expect(scene.notices.withLock { $0 }.isEmpty)
        for _ in 0..<2 { try await answer("LocalHost:\(port)") }
        try await answer("[::1]:\(port)")
        #expect(try await scene.complete().contains("You are logged in"))
        let told = ["localhost", "[::1]"].map { CallbackNotice.otherHost("http://\($0):\(port)/cb") }
        #expect(scene.notices.withLock { $0 } == told)
    }
}
