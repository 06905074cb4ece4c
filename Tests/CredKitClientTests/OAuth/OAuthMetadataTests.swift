// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Metadata of authorization servers.
final class OAuthMetadataTests: XCTestCase {
    private func profile(
        _ issuer: String,
        _ answers: [ScriptedTransport.Answer],
        dpop: DPoPMode? = nil,
        logs: CapturedLogs = CapturedLogs()
    ) async -> (profile: LoginProfile?, paths: [String?], error: ClientError?) {
        let transport = ScriptedTransport(answers)
        var configuration = LoginSession.Configuration()
        configuration.logger = logs.logger
        do throws(ClientError) {
            let profile = try await LoginProfile.oauth(
                issuer: issuer,
                clientID: "desktop",
                scope: "a",
                dpop: dpop,
                configuration: configuration,
                transport: transport
            )
            return (profile, transport.requests.map(\.head.path), nil)
        } catch {
            return (nil, transport.requests.map(\.head.path), error)
        }
    }

    private func metadata(_ issuer: String, _ more: String = "") -> ScriptedTransport.Answer {
        .json(#"{"issuer": "\#(issuer)", "token_endpoint": "https://a.example/t"\#(more)}"#)
    }

    func testPathsOfTheIssuer() async {
        for (issuer, paths) in [
            ("https://a.example", ["/.well-known/oauth-authorization-server"]),
            ("https://a.example/", ["/.well-known/oauth-authorization-server"]),
            ("https://a.example/issuer1", ["/.well-known/oauth-authorization-server/issuer1"]),
        ] {
            let found = await profile(issuer, [metadata(issuer)])
            XCTAssertEqual(found.paths, paths)
            var expected = LoginProfile.oauth(clientID: "desktop", scope: "a", tokenPath: "/t")
            expected.server = "https://a.example"
            XCTAssertEqual(found.profile, expected)
        }
        let connect = await profile(
            "https://b.example/realm",
            [.json("{}", status: .notFound), metadata("https://b.example/realm")]
        )
        XCTAssertEqual(
            connect.paths,
            ["/.well-known/oauth-authorization-server/realm", "/realm/.well-known/openid-configuration"]
        )
        XCTAssertEqual(connect.profile?.server, "https://a.example")
    }

    /// Another origin could speak for the server.
    func testRedirectsLeadNoFurtherThanTheIssuersOrigin() async {
        let issuer = "https://a.example"
        for target in ["https://evil.example/x", "https://a.example:444/x", "https://b.a.example/x"] {
            for answers in [[], [.json("{}", status: .notFound)]] as [[ScriptedTransport.Answer]] {
                let found = await profile(issuer, answers + [.redirect(to: target), metadata(issuer)])
                XCTAssertEqual(found.error, .redirectRefused, target)
                XCTAssertEqual(found.paths.count, answers.count + 1)
            }
        }
        let within = await profile(issuer, [.redirect(to: "/elsewhere"), metadata(issuer)])
        XCTAssertEqual(within.paths, ["/.well-known/oauth-authorization-server", "/elsewhere"])
        XCTAssertEqual(within.profile?.server, issuer)
    }

    func testAllEndpoints() async {
        let more = """
            , "device_authorization_endpoint": "https://a.example/d", "revocation_endpoint": "https://a.example:443/r",
            "grant_types_supported": ["x"]
            """
        let found = await profile("https://a.example", [metadata("https://a.example", more)])
        var expected = LoginProfile.oauth(
            clientID: "desktop",
            scope: "a",
            tokenPath: "/t",
            deviceAuthorizationPath: "/d",
            revocationPath: "/r"
        )
        expected.server = "https://a.example"
        XCTAssertEqual(found.profile, expected)
    }

    func testMetadataThatCannotBeUsed() async {
        for (answer, expected) in [
            (metadata("https://evil.example"), .malformedResponse),
            (metadata("https://a.example/"), .malformedResponse),
            (
                metadata("https://a.example", #", "revocation_endpoint": "https://b.example/r""#),
                .malformedResponse
            ),
            (
                metadata("https://a.example", #", "revocation_endpoint": "https://a.example/r?x""#),
                .malformedResponse
            ),
            (metadata("https://a.example", #", "revocation_endpoint": "/r""#), .invalidURL),
            (
                metadata("https://a.example", #", "authorization_endpoint": "http://b.example/a""#),
                .insecureConnection
            ),
            (.json(#"{"issuer": "https://a.example"}"#), .malformedResponse),
            (.json("<html>"), .malformedResponse),
            (.json("{}", status: .internalServerError), .unexpectedStatus),
            (.redirect(to: "http://a.example/"), .redirectRefused),
        ] as [(ScriptedTransport.Answer, ClientError)] {
            let found = await profile("https://a.example", [answer])
            XCTAssertEqual(found.error, expected)
        }
        for (issuer, expected) in [
            ("http://a.example", .insecureConnection), ("https://a.example/?x", .invalidURL),
            ("a", .invalidURL),
            ("https://user@a.example", .invalidURL),
        ] as [(String, ClientError)] {
            let found = await profile(issuer, [metadata(issuer)])
            XCTAssertEqual(found.error, expected, issuer)
            XCTAssertEqual(found.paths, [])
        }
    }

    /// A server that lists nothing may accept proofs all the same.
    func testAlgorithmsOfProofs() async {
        func metadata(_ list: String?) -> ScriptedTransport.Answer {
            self.metadata(
                "https://a.example",
                list.map { #", "dpop_signing_alg_values_supported": \#($0)"# } ?? ""
            )
        }
        for (list, mode, expected) in [
            (nil, .required, .required), (nil, .preferred, .preferred),
            (#"["ES256"]"#, .required, .required), (#"["EdDSA", "ES256"]"#, .preferred, .preferred),
            (#"["ES384", "Ed25519"]"#, .preferred, nil), ("[]", .preferred, nil), (#"["RS256"]"#, nil, nil),
        ] as [(String?, DPoPMode?, DPoPMode?)] {
            let logs = CapturedLogs()
            let found = await profile("https://a.example", [metadata(list)], dpop: mode, logs: logs)
            let oauth = found.profile?.mechanism as? OAuthMechanism
            XCTAssertNotNil(oauth, "\(found.error as Any)")
            XCTAssertEqual(oauth?.dpop, expected, list ?? "")
            XCTAssertEqual(logs.text.contains("does not bind the tokens"), mode != expected, logs.text)
        }
        for list in [#"["ES384", "es256"]"#, "[]"] {
            let found = await profile("https://a.example", [metadata(list)], dpop: .required)
            XCTAssertEqual(found.error, .serverError)
            let message = found.error?.message ?? ""
            XCTAssertTrue(message.contains("by ES256"), message)
            XCTAssertTrue(message.contains("log in without dpop"), message)
        }
    }
}
