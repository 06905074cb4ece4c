// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// What a token endpoint answers, and what a session makes of it.
final class OAuthTokenTests: SessionTestCase {
    static let profile = LoginProfile.oauth(
        clientID: "desktop",
        tokenPath: "/token",
        revocationPath: "/revoke"
    )

    private let ok = ScriptedTransport.Answer.json(#"{"user": "test"}"#)
    private let unauthorized = ScriptedTransport.Answer.json("{}", status: .unauthorized)

    private func token(_ number: Int, _ more: String = "") -> ScriptedTransport.Answer {
        .json(
            #"{"access_token": "access\#(number)", "token_type": "Bearer", "refresh_token": "refresh\#(number)"\#(more)}"#
        )
    }

    private func loggedIn(
        _ transport: ScriptedTransport,
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) async throws -> LoginSession {
        let session = try session(profile: Self.profile, transport: transport, change)
        try await session.logIn(username: "test", password: "refresh0")
        return session
    }

    private func saved() async throws -> String? { try await password(of: "test") }

    /// The example of RFC 6749, section 6, but for the client, which is public here.
    func testRequestAndAnswerOfTheRFC() async throws {
        let answer = """
            {"access_token":"2YotnFZFEjr1zCsicMWpAA", "token_type":"example-free-Bearer", "expires_in":3600}
            """.replacing("example-free-", with: "")
        let transport = ScriptedTransport([.json(answer), ok])
        let session = try session(profile: Self.profile, transport: transport)
        try await session.logIn(username: "test", password: "tGzv3JOkF0XG5Qx2TlKWIA")
        _ = try await session.value(of: .data)
        XCTAssertEqual(
            transport.requests.map(\.text),
            ["grant_type=refresh_token&client_id=desktop&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA", ""]
        )
        let headers = transport.requests.map(\.head.headerFields)
        XCTAssertEqual(headers[0][.contentType], "application/x-www-form-urlencoded")
        XCTAssertEqual(headers[0][.accept], "application/json")
        XCTAssertNil(headers[0][.authorization])
        XCTAssertEqual(headers[1][.authorization], "Bearer 2YotnFZFEjr1zCsicMWpAA")
        let saved = try await saved()
        XCTAssertEqual(saved, "tGzv3JOkF0XG5Qx2TlKWIA")
    }

    /// The client of the examples of RFC 6749, section 2.3.1, and one whose parts need encoding.
    func testConfidentialClientsAuthenticateInTheHeader() async throws {
        for (id, secret, expected) in [
            ("s6BhdRkqt3", "7Fjfp0ZBr1KtDRbnfVdmIw", "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"),
            ("a:b", "c d/%", "Basic " + Base64.standard.encode("a%3Ab:c+d%2F%25".utf8)),
        ] {
            let transport = ScriptedTransport([token(1)])
            let profile = LoginProfile.oauth(clientID: id, clientSecret: secret, tokenPath: "/token")
            let session = try session(profile: profile, transport: transport)
            try await session.logIn(username: "test", password: "a&b=c d")
            let request = try XCTUnwrap(transport.requests.first)
            XCTAssertEqual(request.head.headerFields[values: .authorization], [expected])
            XCTAssertEqual(request.text, "grant_type=refresh_token&refresh_token=a%26b%3Dc+d")
        }
    }

    func testNewRefreshTokenReplacesTheOldOneAndTokensAreSavedForLaterProcesses() async throws {
        let first = try await loggedIn(ScriptedTransport([token(1)]))
        let afterLogin = try await saved()
        XCTAssertEqual(afterLogin, "refresh1")
        try await first.flush()
        let transport = ScriptedTransport([ok, unauthorized, token(2), ok])
        let second = try session(profile: Self.profile, transport: transport)
        let isRestored = try await second.restore()
        XCTAssertTrue(isRestored)
        _ = try await second.value(of: .data)
        _ = try await second.value(of: .data)
        XCTAssertEqual(transport.requests.map(\.head.path), ["/data", "/data", "/token", "/data"])
        XCTAssertTrue(transport.requests[2].text.hasSuffix("refresh_token=refresh1"))
        XCTAssertEqual(
            transport.requests.map { $0.head.headerFields[.authorization] },
            ["Bearer access1", "Bearer access1", nil, "Bearer access2"]
        )
        let afterRenewal = try await saved()
        XCTAssertEqual(afterRenewal, "refresh2")
        // The first process takes over what the second one has obtained.
        let other = ScriptedTransport([unauthorized, ok])
        let third = try session(profile: Self.profile, transport: other)
        try await third.restore()
        third.state.withLock { state in
            state.token = try? SecretBytes("Bearer access1")
            state.renewalCount = 0
        }
        _ = try await third.value(of: .data)
        XCTAssertEqual(
            other.requests.map { $0.head.headerFields[.authorization] },
            ["Bearer access1", "Bearer access2"]
        )
    }

    func testTokenIsReplacedBeforeItExpires() async throws {
        let clock = Lock(Self.morning)
        let transport = ScriptedTransport([token(1, #", "expires_in": 100"#), ok, token(2), ok])
        let session = try await loggedIn(transport) { $0.now = { clock.withLock { $0 } } }
        clock.withLock { $0 = $0 + .seconds(89) }
        _ = try await session.value(of: .data)
        clock.withLock { $0 = $0 + .seconds(1) }
        _ = try await session.value(of: .data)
        XCTAssertEqual(transport.requests.map(\.head.path), ["/token", "/data", "/token", "/data"])
    }

    func testLifetimes() async throws {
        for (lifetime, expected) in [
            ("3600", 3590), (#""3600""#, 3590), ("1", 1), ("0", nil), ("-1", nil), (#""-5""#, nil),
            ("null", nil),
            ("0.5", nil), (#""soon""#, nil), ("[1]", nil), ("true", nil), ("1e300", 315_359_990),
            ("1e999", nil), ("99999999999999999999", 315_359_990), (#""99999999999999999999""#, nil),
        ] as [(String, Int64?)] {
            let session = try await loggedIn(ScriptedTransport([token(1, #", "expires_in": \#(lifetime)"#)]))
            let expiry = session.state.withLock { $0.tokenExpiry }
            XCTAssertEqual(expiry.map { ($0 - Self.morning).components.seconds }, expected, lifetime)
            XCTAssertFalse(session.lacksToken, lifetime)
        }
    }

    func testAnswersThatAreNoToken() async throws {
        let bad: [(String, HTTPResponse.Status, ClientError)] = [
            ("<html>login</html>", .ok, .malformedResponse), ("", .ok, .malformedResponse),
            ("[]", .ok, .malformedResponse), ("{}", .ok, .malformedResponse), ("7", .ok, .malformedResponse),
            ("access_token=a&token_type=bearer", .ok, .malformedResponse),
            (#"{"access_token": "a"}"#, .ok, .malformedResponse),
            (#"{"token_type": "Bearer"}"#, .ok, .malformedResponse),
            (#"{"access_token": "a", "token_type": "mac"}"#, .ok, .malformedResponse),
            (#"{"access_token": "a", "token_type": "DPoP"}"#, .ok, .malformedResponse),
            (#"{"access_token": 7, "token_type": "Bearer"}"#, .ok, .malformedResponse),
            (#"{"access_token": "", "token_type": "Bearer"}"#, .ok, .malformedResponse),
            (#"{"access_token": "a b", "token_type": "Bearer"}"#, .ok, .malformedResponse),
            (#"{"access_token": "a\r\nHost: b", "token_type": "Bearer"}"#, .ok, .malformedResponse),
            (
                #"{"access_token": "a", "token_type": "Bearer", "refresh_token": "é"}"#, .ok,
                .malformedResponse
            ),
            (#"{"access_token": "a", "token_type": "Bearer", "refresh_token": ""}"#, .ok, .malformedResponse),
            (String(repeating: "[", count: 100_000), .ok, .malformedResponse),
            ("<html>", .badRequest, .unexpectedStatus), ("<html>", .unauthorized, .unexpectedStatus),
            ("<html>", .notFound, .unexpectedStatus), ("", .serviceUnavailable, .unexpectedStatus),
            ("", .tooManyRequests, .tooManyAttempts), ("", .found, .redirectRefused),
            (#"{"error": "invalid_grant"}"#, .badRequest, .invalidCredentials),
            (#"{"error": "invalid_grant"}"#, .ok, .invalidCredentials),
            (
                #"{"error": "invalid_grant", "access_token": "a", "token_type": "Bearer"}"#, .ok,
                .invalidCredentials
            ),
            (#"{"error": "invalid_client"}"#, .unauthorized, .serverError),
            (#"{"error": "unauthorized_client"}"#, .badRequest, .serverError),
            (#"{"error": "invalid_request"}"#, .badRequest, .serverError),
            (#"{"error": "invalid_scope"}"#, .badRequest, .serverError),
            (#"{"error": "unsupported_grant_type"}"#, .badRequest, .serverError),
            (#"{"error": "refresh0"}"#, .badRequest, .serverError),
            (#"{"error": {"code": 7}}"#, .ok, .serverError),
            (#"{"error": ""}"#, .ok, .malformedResponse), (#"{"error": ""}"#, .badRequest, .unexpectedStatus),
        ]
        for (body, status, expected) in bad {
            let transport = ScriptedTransport([.json(body, status: status), ok])
            let session = try session(profile: Self.profile, transport: transport)
            let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
            XCTAssertEqual(error, expected, body)
            XCTAssertNil(session.account, body)
            XCTAssertFalse("\(error.map { "\($0.debugDescription)" } ?? "")".contains("refresh0"), body)
            let saved = try await saved()
            XCTAssertNil(saved, body)
        }
        XCTAssertFalse(logs.text.contains("refresh0"))
    }

    func testErrorTextsOfTheServerAreInNoMessage() async throws {
        let body =
            #"{"error": "invalid_grant", "error_description": "refresh0 is used", "error_uri": "http://a/refresh0"}"#
        let session = try session(
            profile: Self.profile,
            transport: ScriptedTransport([.json(body, status: .badRequest)])
        )
        let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
        XCTAssertEqual(error, .invalidCredentials)
        var dumped = logs.text
        dump(error, to: &dumped)
        XCTAssertFalse(dumped.contains("refresh0"), dumped)
    }

    func testRejectedRefreshTokenIsTriedOnce() async throws {
        let no = ScriptedTransport.Answer.json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        let transport = ScriptedTransport([token(1), unauthorized, no, unauthorized, unauthorized])
        let session = try await loggedIn(transport)
        for _ in 0..<3 {
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, .invalidCredentials)
        }
        XCTAssertEqual(transport.requests.filter { $0.head.path == "/token" }.count, 2)
    }

    func testSmallerScopeIsReported() async throws {
        for (answer, missing) in [
            (#", "scope": "b""#, ["a"]), (#", "scope": "b a c""#, []), ("", []),
            (#", "scope": """#, ["a", "b"]),
            (#", "scope": 7"#, []),
        ] {
            let transport = ScriptedTransport([token(1, answer)])
            let profile = LoginProfile.oauth(clientID: "desktop", scope: "a b", tokenPath: "/token")
            let session = try session(profile: profile, transport: transport)
            try await session.logIn(username: "test", password: "refresh0")
            XCTAssertEqual(session.missingScope, missing, answer)
        }
    }

    func testUnencryptedHTTPIsRefusedWhateverIsAllowed() throws {
        var elsewhere = Self.profile
        elsewhere.server = "http://login.example"
        for (url, profile) in [
            ("http://school.example", Self.profile), ("https://school.example", elsewhere),
        ] {
            XCTAssertThrowsError(
                try session(url, profile: profile) {
                    $0.allowsInsecureHTTP = true
                    $0.credentialOrigins = [try! Origin(url), try! Origin("http://login.example")]
                }
            ) { XCTAssertEqual($0 as? ClientError, .insecureConnection) }
        }
    }

    func testProfilesInJSON() throws {
        let minimal = #"{"scheme": "oauth", "clientID": "desktop", "tokenPath": "/token"}"#
        XCTAssertEqual(
            try LoginProfile(json: minimal.utf8),
            .oauth(clientID: "desktop", tokenPath: "/token")
        )
        var profile = LoginProfile.oauth(
            clientID: "a b",
            clientSecret: "s3cret",
            scope: "a b",
            tokenPath: "/t",
            deviceAuthorizationPath: "/d",
            revocationPath: "/r"
        )
        profile.server = "https://login.school.example"
        XCTAssertEqual(try LoginProfile(json: profile.json()), profile)
        var dumped = "\(profile) \(String(reflecting: profile))"
        dump(profile, to: &dumped)
        XCTAssertFalse(dumped.contains("s3cret"), dumped)
        for bad in [
            #"{"scheme": "oauth", "clientID": "a"}"#, #"{"scheme": "oauth", "tokenPath": "/t"}"#,
            #"{"scheme": "oauth", "clientID": "", "tokenPath": "/t"}"#,
            #"{"scheme": "oauth", "clientID": "é", "tokenPath": "/t"}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "t"}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "//t"}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "revocationPath": "r"}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "deviceAuthorizationPath": ""}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "clientSecret": ""}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "scope": "a  b"}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "scope": ""}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "scope": "a\"b"}"#,
            #"{"scheme": "oauth", "clientID": "a", "tokenPath": "/t", "loginPath": "/x"}"#,
        ] {
            XCTAssertThrowsError(try LoginProfile(json: bad.utf8), bad) { error in
                XCTAssertEqual(error as? ClientError, .invalidProfile)
            }
        }
    }
}
