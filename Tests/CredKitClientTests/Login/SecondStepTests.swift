// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Servers that ask for a one-time code after the password.
final class SecondStepTests: SessionTestCase {
    private let needed = ScriptedTransport.Answer.json(#"{"userId": -1, "codeRequired": 1}"#)
    private let accepted = ScriptedTransport.Answer.json(#"{"userId": 7}"#)
    private let refused = ScriptedTransport.Answer.json(#"{"userId": -1}"#)
    private let challenge = ScriptedTransport.Answer.json(#"{"key": "2016-08-17 02:00"}"#)

    private func logIn(
        _ answers: [ScriptedTransport.Answer],
        profile: LoginProfile = .form(),
        codes: [String?] = ["123456"]
    ) async throws -> (session: LoginSession, forms: [String], error: ClientError?) {
        let transport = ScriptedTransport(answers)
        let left = Lock(codes)
        let session = try session(profile: profile, transport: transport) { configuration in
            configuration.oneTimeCode = { account throws(ClientError) in
                XCTAssertEqual(account, "alice")
                guard let code = left.withLock({ $0.removeFirst() }) else { return nil }
                return try? SecretBytes(code)
            }
        }
        let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
        return (session, transport.requests.map(\.text), error)
    }

    func testFormIsSentAgainWithTheCode() async throws {
        let (session, forms, error) = try await logIn([needed, accepted])
        XCTAssertNil(error)
        XCTAssertEqual(session.account, "alice")
        XCTAssertEqual(forms, ["username=alice&password=zhang", "username=alice&password=zhang&otp=123456"])
        XCTAssertFalse(logs.text.contains("123456"))
    }

    func testTimestampedLoginGetsANewChallenge() async throws {
        let profile = LoginProfile.timestamped(keyPhrase: "itheima")
        let (_, forms, error) = try await logIn([challenge, needed, challenge, accepted], profile: profile)
        XCTAssertNil(error)
        XCTAssertEqual(forms.count, 4)
        XCTAssertEqual(forms[3], forms[1] + "&otp=123456")
    }

    /// The user has logged in during this minute already. A code that was sent may be used up.
    func testWaitForTheNextMinute() async throws {
        let profile = LoginProfile.timestamped(keyPhrase: "itheima")
        let busy = ScriptedTransport.Answer.json("{}", status: .tooManyRequests).addingHeader(
            "Retry-After",
            "0"
        )
        let (_, first, none) = try await logIn(
            [challenge, busy, challenge, needed, challenge, accepted],
            profile: profile
        )
        XCTAssertNil(none)
        XCTAssertTrue(first[5].hasSuffix("&otp=123456"))
        let (_, second, error) = try await logIn(
            [challenge, needed, challenge, busy, challenge, accepted],
            profile: profile,
            codes: ["123456", "654321"]
        )
        XCTAssertNil(error)
        XCTAssertTrue(second[3].hasSuffix("&otp=123456"))
        XCTAssertTrue(second[5].hasSuffix("&otp=654321"))
        let (_, third, again) = try await logIn([challenge, busy, challenge, busy], profile: profile)
        XCTAssertEqual(again, .tooManyAttempts)
        XCTAssertEqual(third.count, 4)
    }

    func testRejectedCodeDoesNotRejectThePassword() async throws {
        for answer in [refused, needed, .json("{}", status: .unauthorized)] {
            let (session, _, error) = try await logIn([needed, answer])
            XCTAssertEqual(error, .oneTimeCodeRejected)
            XCTAssertNil(session.state.withLock { $0.rejection?.error })
        }
        let (_, forms, error) = try await logIn([refused])
        XCTAssertEqual(error, .invalidCredentials)
        XCTAssertEqual(forms.count, 1)
    }

    func testOtherFailuresStayWhatTheyAre() async throws {
        for (answer, expected) in [
            (.json("{}", status: .tooManyRequests), .tooManyAttempts),
            (.json("{}", status: .serviceUnavailable), .unexpectedStatus),
            (.failure(.noResponse), .noResponse),
        ] as [(ScriptedTransport.Answer, ClientError)] {
            let (_, _, error) = try await logIn([needed, answer])
            XCTAssertEqual(error, expected)
        }
    }

    func testLoginWithoutACode() async throws {
        let (_, forms, error) = try await logIn([needed], codes: [nil])
        XCTAssertEqual(error, .oneTimeCodeRequired)
        XCTAssertEqual(forms.count, 1)
        let session = try session(profile: .form(), transport: ScriptedTransport([needed]))
        let none = await failure { try await session.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(none, .oneTimeCodeRequired)
    }

    func testRenewalTakesAnotherCode() async throws {
        let transport = ScriptedTransport([
            needed, accepted, .json("{}", status: .unauthorized), needed, accepted,
            .json(#"{"user": "alice"}"#),
        ])
        let left = Lock(["123456", "654321"])
        let session = try session(profile: .form(), transport: transport) {
            $0.oneTimeCode = { _ throws(ClientError) in try? SecretBytes(left.withLock { $0.removeFirst() }) }
        }
        try await session.logIn(username: "alice", password: "zhang")
        _ = try await session.value(of: .data)
        XCTAssertTrue(transport.requests[4].text.hasSuffix("&otp=654321"))
    }

    func testRulesOfOtherServers() async throws {
        for (json, answer) in [
            (#"{"status": 403}"#, ScriptedTransport.Answer.json("", status: .forbidden)),
            (#"{"envelope": {"code": "h.code", "successCodes": [4010]}}"#, .json(#"{"h": {"code": 4010}}"#)),
            (
                #"{"field": "mfa.needed", "greaterThan": 0}"#,
                .json(#"{"mfa": {"needed": "1"}}"#, status: .unauthorized)
            ),
        ] {
            let text = #"{"scheme": "form", "secondStep": {"codeField": "mfa code", "required": \#(json)}}"#
            let profile = try LoginProfile(json: text.utf8)
            XCTAssertEqual(try LoginProfile(json: profile.json()), profile)
            let (_, forms, error) = try await logIn([answer, accepted], profile: profile)
            XCTAssertNil(error)
            XCTAssertTrue(forms[1].hasSuffix("&mfa+code=123456"), forms[1])
        }
        let none = try LoginProfile(json: #"{"scheme": "form", "secondStep": {"codeField": ""}}"#.utf8)
        XCTAssertNil(none.secondStep)
        XCTAssertEqual(try LoginProfile(json: none.json()), none)
        let (_, _, error) = try await logIn([needed], profile: none)
        XCTAssertEqual(error, .invalidCredentials)
        for bad in [
            #"{"codeField": "username"}"#, #"{"codeField": "password"}"#, #"{"field": "otp"}"#, "7",
            #"{"required": {"status": 500}}"#, #"{"required": {"field": "", "greaterThan": 0}}"#,
            #"{"required": {}}"#,
        ] {
            let text = #"{"scheme": "form", "secondStep": \#(bad)}"#
            XCTAssertThrowsError(try LoginProfile(json: text.utf8), bad) { error in
                XCTAssertEqual(error as? ClientError, .invalidProfile)
            }
        }
    }
}
