// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTestSupport
import CredKitTesting
import Foundation
import HTTPTypes
import Testing

@testable import CredKitClient

/// Logins with a browser that is quicker than the program: its answer is there before the call that opens it returns.
@Suite struct BrowserLoginTests {
    private final class Scene: Sendable {
        let session: LoginSession
        let keychain = Keychain(store: InMemoryStore())
        let transport: ScriptedTransport
        let notices = Lock<[String]>([])
        private let folder: Lock<TemporaryFolder>
        private let opened = Lock<(parameters: [String: String], connections: [BrowserConnection])>(([:], []))

        init(
            _ answers: [ScriptedTransport.Answer],
            dpop: DPoPMode? = nil,
            redirectURL: String = LoginProfile.BrowserLogin.defaultRedirectURL,
            _ change: (inout LoginSession.Configuration) -> Void = { _ in }
        ) throws {
            let folder = try TemporaryFolder()
            transport = ScriptedTransport(answers)
            var configuration = LoginSession.Configuration()
            configuration.folder = folder["sessions"]
            let notices = self.notices
            configuration.notice = { text in notices.withLock { $0.append(text) } }
            change(&configuration)
            var login = LoginProfile.BrowserLogin(authorizationURL: "https://login.school.example/authorize")
            login.redirectURL = redirectURL
            session = try LoginSession(
                server: "http://127.0.0.1:1",
                profile: .oauth(
                    clientID: "desktop",
                    resource: "https://data.school.example/",
                    tokenPath: "/token",
                    browserLogin: login,
                    dpop: dpop
                ),
                keychain: keychain,
                configuration: configuration,
                transport: transport
            )
            self.folder = Lock(folder)
        }

        /// The parameters of the URL that was opened.
        var parameters: [String: String] { opened.withLock { $0.parameters } }

        /// Logs in, with answers that go to certain hosts.
        func logIn(at hosts: [String] = ["127.0.0.1"]) async throws(ClientError) {
            try await session.logInWithBrowser(username: "alice") { (url) throws(ClientError) in
                do { try self.answer(url, hosts) } catch { throw .localFile }
            }
        }

        private func answer(_ url: HTTPURL, _ hosts: [String]) throws {
            let query = try #require(url.query)
            let pairs = try #require(FormText(query[...]).decoded)
            let parameters = Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, $0.value) })
            let (redirect, state) = (
                try HTTPURL(try #require(parameters["redirect_uri"])), parameters["state"]
            )
            opened.withLock { $0.parameters = parameters }
            for host in hosts {
                let connection = try BrowserConnection(port: redirect.origin.port)
                let target = "\(redirect.path)?code=c&state=\(try #require(state))"
                connection.send("GET \(target) HTTP/1.1\r\nHost: \(host):\(redirect.origin.port)\r\n\r\n")
                opened.withLock { $0.connections.append(connection) }
            }
        }

        /// The page that the browser shows last.
        var page: String? { opened.withLock { $0.connections.last?.receiveAll() } }

        /// The port at which the login has listened.
        func port() throws -> UInt16 { try HTTPURL(try #require(parameters["redirect_uri"])).origin.port }
    }

    private static func token(_ type: String = "Bearer", _ number: Int = 1) -> ScriptedTransport.Answer {
        .json(#"{"access_token": "a\#(number)", "token_type": "\#(type)", "refresh_token": "r\#(number)"}"#)
    }

    @Test func quickBrowserFindsAnOpenPort() async throws {
        let scene = try Scene([Self.token()], redirectURL: BrowserConnection.quietRedirect)
        try await scene.logIn()
        #expect(scene.page?.contains("You are logged in") == true)
        #expect(throws: BrowserConnection.Refused.self) { _ = try BrowserConnection(port: scene.port()) }
        #expect(scene.notices.withLock { $0 }.isEmpty)
    }

    /// The code is worth nothing without the key of the proof that it is exchanged with (RFC 9449, section 10).
    @Test func codeIsBoundToTheKeyOfTheTokens() async throws {
        let scene = try Scene([Self.token("DPoP")], dpop: .required)
        try await scene.logIn()
        let name = try #require(HTTPField.Name("DPoP"))
        let proof = try #require(scene.transport.requests.first?.head.headerFields[name])
        let header = try Base64.urlSafe.unpadded.decode(try #require(proof.split(separator: ".").first))
        struct Header: Decodable { let jwk: [String: String] }
        let key = try JSONDecoder().decode(Header.self, from: Data(header)).jwk
        #expect(Set(key.keys) == ["kty", "crv", "x", "y"])
        #expect(JSONWebKey(members: key).thumbprint == scene.parameters["dpop_jkt"])
        let plain = try Scene([Self.token()])
        try await plain.logIn()
        #expect(plain.parameters["dpop_jkt"] == nil)
    }

    @Test func resourceIsAskedForAtEachStep() async throws {
        let scene = try Scene([
            Self.token(), .json("{}", status: .unauthorized), Self.token("Bearer", 2),
            .json(#"{"user": "alice"}"#),
        ])
        try await scene.logIn()
        _ = try await scene.session.value(of: .data)
        #expect(scene.parameters["resource"] == "https://data.school.example/")
        let texts = scene.transport.requests.filter { $0.head.path == "/token" }.map(\.text)
        #expect(texts.map { $0.contains("grant_type=authorization_code") } == [true, false])
        #expect(texts.allSatisfy { $0.contains("resource=https%3A%2F%2Fdata.school.example%2F") })
    }

    /// Whatever happens at the exchange: a code that comes twice looks stolen to the server.
    @Test(arguments: [nil, .required] as [DPoPMode?])
    func codeIsSentOnce(dpop: DPoPMode?) async throws {
        for answer in [
            .failure(.noResponse), .failure(.timedOut), .json("{}", status: .internalServerError),
            .json("{}", status: .serviceUnavailable), .redirect(to: "/token", status: .temporaryRedirect),
            .json(#"{"error": "invalid_grant"}"#, status: .badRequest),
        ] as [ScriptedTransport.Answer] {
            let scene = try Scene([answer, Self.token(dpop == nil ? "Bearer" : "DPoP")], dpop: dpop)
            await #expect(throws: ClientError.self) { try await scene.logIn() }
            #expect(scene.transport.requests.count == 1)
            #expect(scene.page?.contains("You are logged in") == false)
            #expect(try await scene.keychain.items().isEmpty)
        }
    }

    /// Also the key that was made for the login is forgotten.
    @Test(arguments: [nil, .required] as [DPoPMode?])
    func userWhoDoesNothingEndsTheLogin(dpop: DPoPMode?) async throws {
        let scene = try Scene([], dpop: dpop, redirectURL: BrowserConnection.quietRedirect) {
            $0.browserDeadline = .milliseconds(1)
        }
        let error = await failure { try await scene.logIn(at: []) }
        #expect(error == .loginAbandoned)
        #expect(
            error?.description.contains("within 0 s: log in again. If the server's page did not lead back")
                == true
        )
        #expect(throws: BrowserConnection.Refused.self) { _ = try BrowserConnection(port: scene.port()) }
        #expect(scene.transport.requests.isEmpty)
        #expect(scene.session.account == nil)
        #expect(try await scene.keychain.items().isEmpty)
    }

    @Test func serverThatChangesTheHostIsNamed() async throws {
        let scene = try Scene([Self.token()])
        try await scene.logIn(at: ["localhost", "127.0.0.1"])
        let notices = scene.notices.withLock { $0 }
        #expect(notices.count == 1)
        let port = try scene.port()
        #expect(
            notices.first?.contains("sends the browser to http://localhost:\(port)/callback, and not to")
                == true
        )
    }
}
