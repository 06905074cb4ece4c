// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

@testable import CredKitClient

/// Answers of an authorization endpoint: each of these breaks one rule.
struct AuthorizationAnswerTests {
    struct Case: Sendable {
        let parameters: [(String, String)]
        let error: ClientError

        init(_ parameters: [(String, String)], _ error: ClientError) {
            self.parameters = parameters
            self.error = error
        }
    }

    private static let issuer = "https://login.school.example"

    private func mechanism(issuer: String? = AuthorizationAnswerTests.issuer, isRequired: Bool? = nil)
        -> OAuthMechanism
    {
        var mechanism = OAuthMechanism(clientID: "desktop", tokenPath: "/token")
        mechanism.authorizationURL = "https://login.school.example/authorize"
        mechanism.issuer = issuer
        mechanism.requiresIssuer = isRequired
        return mechanism
    }

    private func error(_ parameters: [(String, String)], _ mechanism: OAuthMechanism) -> ClientError? {
        do throws(ClientError) {
            _ = try AuthorizationAnswer(parameters, for: mechanism)
            return nil
        } catch {
            return error
        }
    }

    @Test func codeIsTaken() throws {
        let answer = try AuthorizationAnswer(
            [
                ("state", "s"), ("code", "SplxlOBeZQQYbYS6WxSbIA"), ("session_state", "x"),
                ("iss", Self.issuer),
            ],
            for: mechanism(isRequired: true)
        )
        #expect(answer.code.text == "SplxlOBeZQQYbYS6WxSbIA")
        // Servers without RFC 9207.
        #expect(error([("code", "a")], mechanism()) == nil)
        #expect(error([("code", "a")], mechanism(issuer: nil)) == nil)
    }

    static let cases: [Case] = [
        Case([("code", "a"), ("code", "a")], .malformedResponse),
        Case([("code", "a"), ("error", "access_denied")], .malformedResponse),
        Case([("error", "access_denied"), ("error", "server_error")], .malformedResponse),
        Case([], .malformedResponse), Case([("code", "")], .malformedResponse),
        Case([("code", "a\r\nb")], .malformedResponse), Case([("code", "é")], .malformedResponse),
        Case([("code", String(repeating: "a", count: 8193))], .malformedResponse),
        Case([("code", "a"), ("iss", "https://login.school.example/")], .malformedResponse),
        Case([("code", "a"), ("iss", "https://LOGIN.school.example")], .malformedResponse),
        Case([("code", "a"), ("iss", "")], .malformedResponse),
        Case([("code", "a"), ("iss", issuer), ("iss", issuer)], .malformedResponse),
        // Another server does not speak for this one, not even of a refusal.
        Case([("error", "access_denied"), ("iss", "https://evil.example")], .malformedResponse),
        Case([("error", "access_denied")], .invalidCredentials),
        Case([("error", "login_required")], .invalidCredentials),
        Case([("error", "invalid_scope")], .serverError), Case([("error", "server_error")], .serverError),
        Case([("error", "\u{1B}[2J")], .serverError), Case([("error", "")], .serverError),
    ]

    @Test(arguments: AuthorizationAnswerTests.cases)
    func answerIsRefused(_ given: AuthorizationAnswerTests.Case) {
        #expect(error(given.parameters, mechanism()) == given.error)
    }

    @Test func announcedIssuerIsRequired() {
        #expect(error([("code", "a")], mechanism(isRequired: true)) == .malformedResponse)
        #expect(error([("error", "access_denied")], mechanism(isRequired: true)) == .malformedResponse)
        // A name cannot be compared with none.
        #expect(error([("code", "a"), ("iss", Self.issuer)], mechanism(issuer: nil)) == .malformedResponse)
    }

    /// The server's words reach neither terminal nor page.
    @Test func messagesHaveNoWordOfTheAnswer() throws {
        let failures = [
            [("error", "<b>evil"), ("error_description", "evil"), ("error_uri", "https://evil.example")],
            [("error", "access_denied"), ("error_description", "\u{1B}]0;evil\u{7}")],
            [("code", "a"), ("iss", "https://evil.example")],
        ]
        for parameters in failures {
            let failure = try #require(error(parameters, mechanism()))
            #expect(!failure.description.contains("evil"))
        }
        let known = try #require(error([("error", "access_denied")], mechanism()))
        #expect(known.description.contains("(access_denied)"))
    }
}
