// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

@testable import CredKitClient

struct AuthorizationRequestTests {
    private static let redirect = "http://127.0.0.1:4711/callback"

    private func mechanism(_ url: String = "https://login.school.example/authorize") -> OAuthMechanism {
        var mechanism = OAuthMechanism(clientID: "desktop", tokenPath: "/token")
        mechanism.authorizationURL = url
        return mechanism
    }

    private func parameters(_ url: HTTPURL) throws -> [String: [String]] {
        let query = try #require(url.query)
        let pairs = try #require(FormText(query[...]).decoded)
        return Dictionary(pairs.map { ($0.key, [$0.value]) }, uniquingKeysWith: +)
    }

    @Test func requestHasItsParametersOnce() throws {
        var settings = mechanism("https://login.school.example/authorize?tenant=a&access_type=online")
        settings.scope = "students teachers"
        settings.resource = "https://data.school.example/"
        settings.responseMode = .formPost
        settings.parameters = ["access_type": "offline", "login_hint": "alice@school.example"]
        let request = try AuthorizationRequest(settings, redirectURL: Self.redirect, keyThumbprint: "jkt")
        #expect(request.url.description == "https://login.school.example/authorize")
        let expected: [String: [String]] = [
            "tenant": ["a"], "access_type": ["offline"], "login_hint": ["alice@school.example"],
            "response_type": ["code"], "client_id": ["desktop"], "redirect_uri": [Self.redirect],
            "scope": ["students teachers"], "resource": ["https://data.school.example/"],
            "response_mode": ["form_post"], "dpop_jkt": ["jkt"], "state": [request.state],
            "code_challenge": [request.verifier.challenge], "code_challenge_method": ["S256"],
        ]
        let sent = try parameters(request.url)
        #expect(sent == expected)
        #expect(!request.url.absoluteString.contains(request.verifier.secret.text))
    }

    @Test func eachRequestHasItsOwnStateAndVerifier() throws {
        let requests = try (0..<50).map { _ in
            try AuthorizationRequest(mechanism(), redirectURL: Self.redirect, keyThumbprint: nil)
        }
        #expect(Set(requests.map(\.state)).count == 50)
        #expect(Set(requests.map(\.verifier.challenge)).count == 50)
        for request in requests {
            let bytes = try Base64.urlSafe.unpadded.decode(request.state)
            #expect(bytes.count == 32)
        }
    }

    @Test func answersAreKnownByTheirState() throws {
        let request = try AuthorizationRequest(mechanism(), redirectURL: Self.redirect, keyThumbprint: nil)
        let state = request.state
        #expect(request.isAnswered(by: [("code", "a"), ("state", state)]))
        #expect(request.isAnswered(by: [("state", state), ("error", "access_denied")]))
        for parameters in [
            [], [("code", "a")], [("state", "")], [("state", String(state.dropLast()))],
            [("state", state + "=")],
            [("state", state), ("state", state)], [("state", "x"), ("state", state)], [("State", state)],
            [("error", "access_denied")],
        ] as [[(String, String)]] {
            #expect(!request.isAnswered(by: parameters))
        }
    }

    @Test func onlyEncryptedEndpointsOfModerateLengthAreOpened() {
        func error(_ settings: OAuthMechanism) -> ClientError? {
            do throws(ClientError) {
                _ = try AuthorizationRequest(settings, redirectURL: Self.redirect, keyThumbprint: nil)
                return nil
            } catch {
                return error
            }
        }
        #expect(error(mechanism("http://localhost:8080/authorize")) == nil)
        #expect(error(mechanism("http://login.school.example/authorize")) == .insecureConnection)
        #expect(error(mechanism("javascript:alert(1)")) == .invalidURL)
        #expect(error(mechanism("file:///etc/passwd")) == .invalidURL)
        var long = mechanism()
        long.parameters = ["login_hint": String(repeating: "a", count: 9000)]
        #expect(error(long) == .invalidURL)
        var none = mechanism()
        none.authorizationURL = nil
        #expect(error(none) == .invalidProfile)
    }

    /// Profiles that would weaken a request are refused when they are read.
    @Test(arguments: [
        #""authorizationURL": "http://login.school.example/a""#,
        #""authorizationURL": "javascript:alert(1)""#,
        #""authorizationURL": "https://a.example/a?state=x""#,
        #""authorizationURL": "https://a.example/a", "parameters": {"code_challenge_method": "plain"}"#,
        #""authorizationURL": "https://a.example/a", "parameters": {"client_secret": "x"}"#,
        #""authorizationURL": "https://a.example/a", "parameters": {"a": "\n"}"#,
        #""authorizationURL": "https://a.example/a", "requiresIssuer": true"#,
        #""authorizationURL": "https://a.example/a", "responseMode": "fragment""#,
        #""authorizationURL": "https://a.example/a", "redirectURL": "https://127.0.0.1/callback""#,
        #""authorizationURL": "https://a.example/a", "redirectURL": "http://0.0.0.0/callback""#,
        #""authorizationURL": "https://a.example/a", "redirectURL": "http://school.example/callback""#,
        #""redirectURL": "http://127.0.0.1/callback""#, #""issuer": "https://a.example""#,
        #""clientAuthentication": "post""#, #""clientSecret": "s", "clientAuthentication": "none""#,
        #""resource": "data""#, #""resource": "https://a.example/#b""#, #""dpop": "maybe""#,
    ])
    func profileIsRefused(_ members: String) {
        let json = #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", \#(members)}"#
        #expect(throws: ClientError.invalidProfile) { try LoginProfile(json: Array(json.utf8)) }
    }

    /// A server may read the first of two parameters with one name, or the last one.
    @Test(
        arguments: [
            "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge",
            "code_challenge_method", "response_mode", "resource", "dpop_jkt", "client_secret",
            "code_verifier",
            "request", "request_uri",
        ] as [String]
    )
    func profileCannotReplaceAParameter(_ name: String) {
        for members in [
            #""authorizationURL": "https://a.example/a", "parameters": {"\#(name)": "x"}"#,
            #""authorizationURL": "https://a.example/a?b=c&\#(name)=x""#,
        ] {
            let json = #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", \#(members)}"#
            #expect(throws: ClientError.invalidProfile) { try LoginProfile(json: Array(json.utf8)) }
        }
    }

    @Test func profilesSurviveTheirJSON() throws {
        var login = LoginProfile.BrowserLogin(authorizationURL: "https://a.example/a")
        for change in [
            { _ in }, { $0.issuer = "https://a.example" },
            {
                $0.issuer = "https://a.example"
                $0.requiresIssuer = true
            },
            { $0.redirectURL = "http://localhost:4711/x" }, { $0.responseMode = .formPost },
            { $0.parameters = ["prompt": "consent"] },
        ] as [(inout LoginProfile.BrowserLogin) -> Void] {
            change(&login)
            let profile = LoginProfile.oauth(
                clientID: "a",
                clientSecret: "s",
                clientAuthentication: .post,
                resource: "https://data.example",
                tokenPath: "/t",
                browserLogin: login,
                dpop: .preferred
            )
            let read = try LoginProfile(json: profile.json())
            #expect(read == profile)
            #expect(profile.hasBrowserLogin && profile.redirectURL == login.redirectURL)
        }
    }
}
