// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Testing

@testable import CredKitClient

/// A login that waits for the browser, and accepts an answer with the state `s`.
struct CallbackScene {
    typealias Answer = Result<[(String, String)], ClientError>

    /// A request with the right answer; `HOST` stands for the server's.
    static let answer = "GET /cb?code=c&state=s HTTP/1.1\r\nHost: HOST\r\n\r\n"

    let server: CallbackServer
    /// What the login gets.
    let login: Task<Answer, Never>
    /// What the login was told while it waited.
    let notices = Lock<[CallbackNotice]>([])

    init(
        _ redirect: String = "http://127.0.0.1/cb",
        acceptsForms: Bool = false,
        limits: CallbackLimits = CallbackLimits(),
        within limit: Duration = .seconds(60)
    ) throws {
        let server = try CallbackServer.start(
            LoopbackRedirect(redirect),
            acceptsForms: acceptsForms,
            limits: limits
        )
        self.server = server
        let notices = self.notices
        login = Task { () async -> Answer in
            do throws(ClientError) {
                let parameters = try await server.answer(
                    within: limit,
                    judging: { $0.parameters.contains { $0 == ("state", "s") } ? .accept : .reject },
                    notify: { notice in notices.withLock { $0.append(notice) } }
                )
                return .success(parameters)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Sends a request, and returns the response.
    func exchange(_ request: String = Self.answer) async throws -> String {
        let text = request.replacing("HOST", with: "127.0.0.1:\(server.port)")
        return try await BrowserConnection.exchange(text, port: server.port)
    }

    /// Brings the right answer, ends the login, and returns the page that the browser shows.
    func complete(
        _ ending: CallbackEnding = .succeeded,
        with request: String = Self.answer
    ) async throws -> String {
        async let page = exchange(request)
        let parameters = try await login.value.get()
        #expect(parameters.map { $0.0 } == (["code", "state"] as [String]))
        #expect(parameters.map { $0.1 } == (["c", "s"] as [String]))
        await server.finish(ending)
        return try await page
    }
}
