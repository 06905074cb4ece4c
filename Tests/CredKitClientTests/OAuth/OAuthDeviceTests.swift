// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Logins that are confirmed with another device, as scripted servers answer them.
final class OAuthDeviceTests: SessionTestCase {
    private static let profile = LoginProfile.oauth(
        clientID: "desktop",
        scope: "students",
        tokenPath: "/token",
        deviceAuthorizationPath: "/device"
    )

    /// The example of RFC 8628, section 3.2.
    private static let authorization = """
        {"device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "user_code": "WDJB-MJHT",
        "verification_uri": "https://example.com/device",
        "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT", "expires_in": 1800,
        "interval": 5}
        """

    private let clock = ManualClock()
    private let token = ScriptedTransport.Answer.json(
        #"{"access_token": "access1", "token_type": "bearer", "refresh_token": "refresh1"}"#
    )

    private func error(_ name: String) -> ScriptedTransport.Answer {
        .json(#"{"error": "\#(name)"}"#, status: .badRequest)
    }

    /// Logs in, and lets the given times pass between the requests.
    private func logIn(
        _ transport: ScriptedTransport,
        waits: [Int],
        profile: LoginProfile = OAuthDeviceTests.profile
    ) async throws -> (session: LoginSession, shown: [DeviceAuthorization], error: ClientError?) {
        let shown = Lock<[DeviceAuthorization]>([])
        let session = try session(profile: profile, transport: transport) { $0.clock = clock }
        let login = Task { () async -> ClientError? in
            do throws(ClientError) {
                try await session.logInWithDevice(username: "test") { authorization in
                    shown.withLock { $0.append(authorization) }
                }
                return nil
            } catch {
                return error
            }
        }
        for (number, wait) in waits.enumerated() {
            await eventually { clock.sleeperCount > 0 }
            XCTAssertEqual(transport.requests.count, number + 1)
            clock.advance(by: .seconds(wait) - .milliseconds(1))
            XCTAssertEqual(clock.sleeperCount, 1, "\(wait)")
            clock.advance(by: .milliseconds(1))
        }
        let error = await login.value
        return (session, shown.withLock { $0 }, error)
    }

    func testLoginThatTheUserConfirms() async throws {
        let transport = ScriptedTransport([
            .json(Self.authorization), error("authorization_pending"), error("slow_down"),
            .failure(.noConnection), .json("", status: .serviceUnavailable), token,
        ])
        let (session, shown, error) = try await logIn(transport, waits: [5, 5, 10, 20, 40])
        XCTAssertNil(error)
        XCTAssertEqual(session.account, "test")
        XCTAssertEqual(shown.map(\.userCode), ["WDJB-MJHT"])
        XCTAssertEqual(shown.map(\.verificationURI), ["https://example.com/device"])
        XCTAssertEqual(
            shown.map(\.verificationURIComplete),
            ["https://example.com/device?user_code=WDJB-MJHT"]
        )
        XCTAssertEqual(shown.map(\.lifetime), [.seconds(1800)])
        XCTAssertEqual(
            transport.requests.map(\.head.path),
            ["/device"] + Array(repeating: "/token", count: 5)
        )
        XCTAssertEqual(transport.requests[0].text, "scope=students&client_id=desktop")
        XCTAssertEqual(
            transport.requests[1].text,
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=desktop"
                + "&device_code=GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS"
        )
        let saved = try await password(of: "test")
        XCTAssertEqual(saved, "refresh1")
        XCTAssertFalse(logs.text.contains("GmRh") || logs.text.contains("refresh1"))
    }

    func testEndsOfALogin() async throws {
        for (answer, expected) in [
            (error("access_denied"), .invalidCredentials), (error("expired_token"), .timedOut),
            (error("invalid_client"), .serverError), (error("invalid_grant"), .invalidCredentials),
            (.json("<html>"), .malformedResponse), (.json("<html>", status: .notFound), .unexpectedStatus),
            (.failure(.untrustedServer), .untrustedServer),
        ] as [(ScriptedTransport.Answer, ClientError)] {
            let transport = ScriptedTransport([.json(Self.authorization), answer, token])
            let (session, _, error) = try await logIn(transport, waits: [5])
            XCTAssertEqual(error, expected)
            XCTAssertNil(session.account)
            XCTAssertEqual(transport.requests.count, 2)
        }
    }

    func testServerThatNeverEndsIsAskedNoLongerThanTheCodeIsValid() async throws {
        for (lifetime, interval, waits) in [
            ("12", "5", [5, 5, 2]), ("1", "60", [1]), ("61", "600", [60, 1]), ("3", "0", [1, 1, 1]),
            ("2", "-7", [1, 1]), (#""7""#, #""6""#, [6, 1]), ("6", "null", [5, 1]),
        ] as [(String, String, [Int])] {
            let text = Self.authorization.replacing(#""interval": 5"#, with: #""interval": \#(interval)"#)
                .replacing("1800", with: lifetime)
            let transport = ScriptedTransport { [pending = error("authorization_pending")] request in
                request.head.path == "/device" ? .json(text) : pending
            }
            let (_, _, error) = try await logIn(transport, waits: waits)
            XCTAssertEqual(error, .timedOut)
        }
    }

    func testCodesAreValidForAnHourAtMost() async throws {
        let text = Self.authorization.replacing("1800", with: "1e12")
        let (_, shown, _) = try await logIn(ScriptedTransport([.json(text), token]), waits: [5])
        XCTAssertEqual(shown.map(\.lifetime), [.seconds(3600)])
    }

    func testMalformedAuthorizations() async throws {
        let long = String(repeating: "a", count: 3000)
        for (part, replacement) in [
            (#""user_code": "WDJB-MJHT","#, ""), ("WDJB-MJHT\"", "\""), ("WDJB-MJHT", "\\u001b[2J"),
            ("WDJB-MJHT", long), ("WDJB-MJHT", "é"),
            ("https://example.com/device\"", "javascript:alert(1)\""),
            ("https://example.com/device\"", "\\u001b]8;;https://example.com\""),
            ("https://example.com/device\"", "https://example.com/\(long)\""), ("1800", "0"), ("1800", "-1"),
            ("1800", "[]"), (#""expires_in": 1800,"#, ""), ("GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", ""),
            ("GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "\\u0000"),
        ] {
            let text = Self.authorization.replacing(part, with: replacement)
            XCTAssertNotEqual(text, Self.authorization)
            let (_, shown, error) = try await logIn(ScriptedTransport([.json(text), token]), waits: [])
            XCTAssertEqual(error, .malformedResponse, replacement)
            XCTAssertEqual(shown.count, 0)
        }
        // A bad second URL is left out.
        let text = Self.authorization.replacing("https://example.com/device?user_code", with: "data:x")
        let (_, shown, error) = try await logIn(ScriptedTransport([.json(text), token]), waits: [5])
        XCTAssertNil(error)
        XCTAssertNil(shown.first?.verificationURIComplete)
    }

    func testLoginWithoutRefreshTokenCannotBeRenewed() async throws {
        let access = ScriptedTransport.Answer.json(
            #"{"access_token": "a", "token_type": "Bearer", "expires_in": 9}"#
        )
        let data = ScriptedTransport.Answer.json(#"{"user": "test"}"#)
        let no = ScriptedTransport.Answer.json("{}", status: .unauthorized)
        let transport = ScriptedTransport([.json(Self.authorization), access, data, no])
        let (session, _, error) = try await logIn(transport, waits: [5])
        XCTAssertNil(error)
        _ = try await session.value(of: .data)
        let expired = await failure { _ = try await session.value(of: .data) }
        XCTAssertEqual(expired, .reauthenticationRequired)
        let saved = try await password(of: "test")
        XCTAssertNil(saved)
    }

    func testProfilesWithoutDeviceLogin() async throws {
        for profile in [LoginProfile.form(), .oauth(clientID: "a", tokenPath: "/t")] {
            let transport = ScriptedTransport([token])
            let (_, _, error) = try await logIn(transport, waits: [], profile: profile)
            XCTAssertEqual(error, .invalidProfile)
            XCTAssertEqual(transport.requests.count, 0)
        }
    }

    /// The user takes a while to confirm. The cookies of the login are kept as those of other logins are.
    func testLifetimeAndCookiesOfALogin() async throws {
        let now = Lock(Self.morning)
        let answer = ScriptedTransport.Answer.json(
            #"{"access_token": "a", "token_type": "Bearer", "refresh_token": "r", "expires_in": 3600}"#
        ).addingHeader("Set-Cookie", "a=b; max-age=60")
        let transport = ScriptedTransport([.json(Self.authorization), answer])
        let session = try session(profile: Self.profile, transport: transport) { configuration in
            configuration.clock = clock
            configuration.now = { now.withLock { $0 } }
            configuration.cookieExpiry = .extended(to: .seconds(7200))
        }
        let login = Task {
            try await session.logInWithDevice(username: "test") { _ in
                now.withLock { $0 = $0 + .seconds(1000) }
            }
        }
        await eventually { clock.sleeperCount > 0 }
        clock.advance(by: .seconds(5))
        try await login.value
        XCTAssertEqual(session.state.withLock { $0.tokenExpiry }, Self.morning + .seconds(1000 + 3590))
        XCTAssertEqual(session.state.withLock { $0.jar.expiryPolicy }, .extended(to: .seconds(7200)))
    }

    func testWaitingLoginCanBeCancelledAndBlocksNothing() async throws {
        let transport = ScriptedTransport([.json(Self.authorization)])
        let session = try session(profile: Self.profile, transport: transport) { $0.clock = clock }
        let login = Task { await failure { try await session.logInWithDevice(username: "test") { _ in } } }
        await eventually { clock.sleeperCount > 0 }
        try await session.logOut()
        login.cancel()
        let error = await login.value
        XCTAssertEqual(error, .cancelled)
    }
}
