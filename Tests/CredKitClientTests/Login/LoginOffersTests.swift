// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import HTTPTypes
import Testing

@testable import CredKitClient

/// What a client learns of a server before a login.
@Suite struct LoginOffersTests {
    private typealias Answer = ScriptedTransport.Answer

    /// Asks a server that answers by path, and everything else with 404.
    private func ask(
        _ answers: [String: ScriptedTransport.Answer],
        at server: String = "https://school.example/base"
    ) async throws -> (offers: LoginOffers, requests: [ScriptedTransport.Request]) {
        let transport = ScriptedTransport { request in
            answers[request.head.path ?? ""] ?? .response(.notFound)
        }
        let offers = try await LoginOffers.ask(
            server,
            configuration: LoginSession.Configuration(),
            transport: transport
        )
        return (offers, transport.requests)
    }

    private func challenge(_ values: String...) -> Answer {
        values.reduce(.response(.unauthorized)) { $0.addingHeader("WWW-Authenticate", $1) }
    }

    @Test func listsOfChallengesAreRead() async throws {
        let answer = challenge(
            #"Digest realm="a, Basic \"x\"", nonce="n", bAsIc realm="b""#,
            "Negotiate",
            "SCRAM-SHA-1",
            "malformed=,,=",
            #"Bearer realm="c", error="invalid_token""#
        )
        let (offers, requests) = try await ask(["/base": answer])
        #expect(offers.basic && offers.bearer && offers.scram == nil)
        #expect(offers.unsupported == (["Digest", "Negotiate", "SCRAM-SHA-1"] as [String]))
        let paths: [String?] = [
            "/base", "/base/scram", "/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration",
        ]
        #expect(requests.map(\.head.path) == paths)
        for request in requests {
            #expect(request.head.headerFields[.authorization] == nil)
            #expect(request.head.headerFields[.cookie] == nil)
            #expect(request.body.isEmpty)
        }
    }

    @Test func scramEndsTheSearch() async throws {
        let own = try await ask([
            "/base": challenge("Basic realm=\"a\", SCRAM-SHA-512 realm=\"a\", SCRAM-SHA-256 realm=\"a\"")
        ])
        #expect(own.offers.scram == .sha256 && own.offers.scramPath == "/")
        #expect(own.requests.count == 1)
        let usual = try await ask(["/base/scram": challenge("SCRAM-SHA-512-PLUS realm=\"a\"")])
        #expect(usual.offers.scram == .sha512 && usual.offers.scramPath == "/scram")
        #expect(usual.requests.map(\.head.method) == ([.get, .post] as [HTTPRequest.Method]))
    }

    @Test func loginsOfCredKitServerAreFound() async throws {
        let (offers, _) = try await ask([
            "/base": .response(.ok),
            "/base/hmackey.php": .json(#"{"key": "2016-08-17 10:00"}"#),
            "/base/login.php": .response(.methodNotAllowed, headers: [.allow: "POST"]),
        ])
        #expect(offers.timestamped && offers.form)
        // A server that answers every path with a page has none of them.
        let transport = ScriptedTransport { _ in .response(.ok, body: HTTPResponseBody(Array("<html>".utf8)))
        }
        let none = try await LoginOffers.ask(
            "https://school.example",
            configuration: LoginSession.Configuration(),
            transport: transport
        )
        #expect(none == LoginOffers())
    }

    @Test func issuersComeFromTheServerItself() async throws {
        let named = try await ask([
            "/base": challenge(#"Bearer resource_metadata="https://school.example/meta""#),
            "/meta": .json(
                #"{"resource": "https://school.example/base", "authorization_servers": ["https://login.example/a", "x"]}"#
            ),
        ])
        #expect(named.offers.issuers == (["https://login.example/a"] as [String]))
        let own = try await ask([
            "/.well-known/openid-configuration": .json(#"{"issuer": "https://school.example"}"#)
        ])
        #expect(own.offers.issuers == (["https://school.example"] as [String]))
        for answers in [
            // Metadata at another server, metadata of another resource, and an issuer that is another server.
            ["/base": challenge(#"Bearer resource_metadata="https://evil.example/meta""#)],
            [
                "/base": challenge(#"Bearer resource_metadata="https://school.example/meta""#),
                "/meta": .json(
                    #"{"resource": "https://evil.example", "authorization_servers": ["https://login.example"]}"#
                ),
            ],
            ["/.well-known/oauth-authorization-server": .json(#"{"issuer": "https://evil.example"}"#)],
        ] as [[String: ScriptedTransport.Answer]] {
            let (offers, requests) = try await ask(answers)
            #expect(offers.issuers.isEmpty)
            #expect(requests.allSatisfy { $0.head.authority == "school.example" })
        }
    }

    @Test func issuersAreReadable() async throws {
        let long = "https://login.example/" + String(repeating: "a", count: 200)
        let (offers, _) = try await ask([
            "/base": challenge(#"Bearer resource_metadata="https://school.example/meta""#),
            "/meta": .json(
                #"{"resource": "https://school.example", "authorization_servers": ["\#(long)", "#
                    + #""https://login.example/\u202e", "https://login.example/\n", "https://login.example/b"]}"#
            ),
        ])
        #expect(offers.issuers == (["https://login.example/b"] as [String]))
    }

    @Test func serverDoesNotChooseTheNumberOfRequests() async throws {
        var answer = Answer.response(.unauthorized)
        for number in 0..<80 {
            answer = answer.addingHeader("WWW-Authenticate", "Scheme\(number % 20)")
                .addingHeader(
                    "WWW-Authenticate",
                    "Bearer resource_metadata=\"https://school.example/\(number)\""
                )
        }
        let (offers, requests) = try await ask(["/base": answer])
        #expect(offers.unsupported == ((0..<8).map { "Scheme\($0)" } as [String]))
        let paths: [String?] = [
            "/base", "/base/scram", "/0", "/1", "/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration",
        ]
        #expect(requests.map(\.head.path) == paths)
    }

    @Test func redirectsStayAtTheServer() async throws {
        let inside = try await ask([
            "/base": .redirect(to: "/app"), "/app": challenge("Basic realm=\"a\""),
        ])
        #expect(inside.offers.basic)
        let outside = try await ask(["/base": .redirect(to: "https://evil.example/")])
        #expect(outside.offers == LoginOffers())
        #expect(outside.requests.allSatisfy { $0.head.authority == "school.example" })
    }

    @Test func unencryptedAndUnavailableServersAreErrors() async {
        let insecure = await failure { _ = try await ask([:], at: "http://school.example") }
        #expect(insecure?.code == .insecureConnection)
        let busy = await failure { _ = try await ask(["/base": .response(.serviceUnavailable)]) }
        #expect(busy?.code == .unexpectedStatus)
    }
}
