// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import HTTPTypes
import XCTest

@testable import CredKitClient

final class LoginVerdictTests: XCTestCase {
    private func verdict(
        _ rule: LoginProfile.SuccessRule,
        _ status: Int,
        _ body: String = "{}",
        redirect: Bool = false,
        headers: HTTPFields = [:],
        secrets: [SecretBytes]? = nil
    ) throws -> ClientError? {
        var profile = LoginProfile.form()
        profile.success = rule
        let url = try HTTPURL("https://school.example/login.php")
        let response = FinalResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: headers),
            body: Array(body.utf8),
            outcome: RequestOutcome(step: RedirectStep(url: url), stoppedAt: redirect ? url : nil)
        )
        do {
            try LoginVerdict(profile: profile, secrets: secrets).check(response)
            return nil
        } catch { return error }
    }

    func testRuleOfTheArticle() throws {
        let rule = LoginProfile.SuccessRule.field("userId", greaterThan: 0)
        for body in [
            #"{"userId": 1}"#, #"{"userId": "7"}"#, #"{"userId": 1.5}"#,
            #"{"x":1,"userId":9007199254740993}"#,
        ] {
            XCTAssertNil(try verdict(rule, 200, body), body)
        }
        for body in [
            #"{"userId": 0}"#, #"{"userId": -1}"#, #"{"userId": null}"#, #"{"userId": ""}"#,
            #"{"userId": "none"}"#,
            #"{"userId": false}"#,
        ] {
            XCTAssertEqual(try verdict(rule, 200, body), .invalidCredentials, body)
        }
        for body in [
            "", "{}", "[]", "7", "<html>", #"{"userid": 1}"#, #"{"data": {"userId": 1}}"#, "{\"userId\": 1",
            String(repeating: "[", count: 100_000),
        ] {
            XCTAssertEqual(try verdict(rule, 200, body), .malformedResponse, String(body.prefix(20)))
        }
        let deep = LoginProfile.SuccessRule.field("data.user.id", greaterThan: 10)
        XCTAssertNil(try verdict(deep, 201, #"{"data": {"user": {"id": 11}}}"#))
        XCTAssertEqual(try verdict(deep, 200, #"{"data": {"user": {"id": 10}}}"#), .invalidCredentials)
        XCTAssertEqual(try verdict(deep, 200, #"{"data": 3}"#), .malformedResponse)
    }

    func testEnvelopeRule() throws {
        let rule = LoginProfile.SuccessRule.envelope(.headBody)
        XCTAssertNil(try verdict(rule, 200, #"{"h": {"code": 200}, "b": null}"#))
        XCTAssertNil(try verdict(rule, 200, #"{"h": {"code": "200"}}"#))
        let rejected = try verdict(rule, 200, #"{"h": {"code": 1001, "msg": "no"}}"#)
        XCTAssertEqual(rejected, .invalidCredentials)
        XCTAssertEqual(rejected?.serverCode, 1001)
        XCTAssertEqual(rejected?.serverMessage, "no")
        // The server may repeat the password, so its message is not part of the description.
        XCTAssertTrue("\(rejected as Any)".hasSuffix("(code 1001))"), "\(rejected as Any)")
        XCTAssertEqual(try verdict(rule, 200, #"{"h": {"code": 401}}"#), .invalidCredentials)
        XCTAssertEqual(try verdict(rule, 200, #"{"h": {"code": 429}}"#), .tooManyAttempts)
        for code in [500, 503, 599] {
            XCTAssertEqual(try verdict(rule, 200, #"{"h": {"code": \#(code)}}"#), .serverError)
        }
        for body in ["", "{}", #"{"h": {}}"#, #"{"h": {"code": null}}"#, #"{"h": {"code": "x"}}"#] {
            XCTAssertEqual(try verdict(rule, 200, body), .malformedResponse, body)
        }
    }

    func testStatusRule() throws {
        let rule = LoginProfile.SuccessRule.status(302)
        XCTAssertNil(try verdict(rule, 302, redirect: true))
        // The form is shown again.
        XCTAssertEqual(try verdict(rule, 200, "<html>"), .invalidCredentials)
        XCTAssertEqual(try verdict(rule, 204), .unexpectedStatus)
        XCTAssertEqual(try verdict(rule, 401), .invalidCredentials)
        XCTAssertEqual(try verdict(rule, 403), .invalidCredentials)
        XCTAssertEqual(try verdict(rule, 303, redirect: true), .redirectRefused)
        XCTAssertNil(try verdict(.status(204), 204, ""))
    }

    func testMessagesNameMembersAndNoValues() throws {
        let rule = LoginProfile.SuccessRule.field("userId", greaterThan: 0)
        for (body, words) in [
            (#"{"b": 1, "access_token": "secret-value"}"#, "'userId', only the members access_token, b ("),
            (#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}"#, "only the members a, b, c, d, e and others ("),
            (#"{"secret value": 1, "\u0007": 2}"#, "no other member with a usual name"),
            ("[1]", "it is no JSON object"), ("<html>", "it is no JSON object"),
        ] {
            let error = try XCTUnwrap(try verdict(rule, 200, body))
            XCTAssertEqual(error, .malformedResponse)
            XCTAssertTrue(error.message.contains(words), error.message)
            XCTAssertFalse(error.message.contains("secret"), error.message)
        }
    }

    func testMessageOfTheServerIsKeptBesideTheDescription() throws {
        let rule = LoginProfile.SuccessRule.field("userId", greaterThan: 0)
        for (status, body, text) in [
            (401, #"{"message": "no such user"}"#, "no such user"),
            (403, #"{"error": {"message": "locked"}}"#, "locked"),
            (200, #"{"userId": -1, "msg": "wrong"}"#, "wrong"), (401, "{}", nil),
        ] as [(Int, String, String?)] {
            let error = try XCTUnwrap(try verdict(rule, status, body))
            XCTAssertEqual(error, .invalidCredentials)
            XCTAssertEqual(error.serverMessage, text)
            XCTAssertFalse(error.description.contains(text ?? "-"), error.description)
        }
        let plain = try verdict(
            rule,
            401,
            "go away\nnow",
            headers: [.contentType: "text/plain; charset=utf-8"]
        )
        XCTAssertEqual(plain?.serverMessage, "go away\nnow")
    }

    func testOnlyExplicitRejectionsAreRejections() throws {
        let rules: [LoginProfile.SuccessRule] = [
            .field("userId", greaterThan: 0), .envelope(.codeData), .status(200),
        ]
        // A body that means rejection, with statuses that mean something else.
        let body = #"{"userId": 0, "code": 7}"#
        for rule in rules {
            for status in [500, 501, 502, 503, 504, 599, 600, 999] {
                XCTAssertEqual(try verdict(rule, status, body), .unexpectedStatus, "\(status)")
            }
            for status in [400, 404, 405, 408, 418, 422, 451, 300, 304] {
                XCTAssertEqual(try verdict(rule, status, body), .unexpectedStatus, "\(status)")
            }
            for status in [301, 302, 303, 307, 308] {
                XCTAssertEqual(try verdict(rule, status, body, redirect: true), .redirectRefused)
            }
            for status in [401, 403] { XCTAssertEqual(try verdict(rule, status, body), .invalidCredentials) }
            let busy = try verdict(rule, 429, body, headers: [.retryAfter: "17"])
            XCTAssertEqual(busy, .tooManyAttempts)
            XCTAssertEqual(busy?.retryAfter, .seconds(17))
            XCTAssertEqual(try verdict(rule, 503, headers: [.retryAfter: "9"])?.retryAfter, .seconds(9))
            for value in ["-1", "soon", "99999999999999999999", "1.5", ""] {
                XCTAssertNil(try verdict(rule, 429, headers: [.retryAfter: value])?.retryAfter, value)
            }
        }
    }

    func testMessageIsShownUnlessItRepeatsASecret() throws {
        let secrets = [try SecretBytes("s3Cret-word"), try SecretBytes("42")]
        let rule = LoginProfile.SuccessRule.envelope(.codeData)
        for (status, start) in [
            (503, "the server failed (status 503)"), (429, "too many login attempts (status 429)"),
            (409, "the server responded to the login with status 409"),
        ] {
            func description(_ message: String, _ secrets: [SecretBytes]?) throws -> String? {
                try verdict(rule, status, #"{"message": "\#(message)"}"#, secrets: secrets)?.description
            }
            XCTAssertEqual(try description("try again", secrets), "\(start): try again")
            for message in ["s3Cret-word is wrong", "not S3CR…", "wrong: ret-", "code 42", "ord-word"] {
                XCTAssertEqual(try description(message, secrets), start, message)
            }
            XCTAssertEqual(try description("try again", nil), start)
        }
        let coded = #"{"code": 503, "msg": "try again"}"#
        XCTAssertEqual(
            try verdict(rule, 200, coded, secrets: secrets)?.description,
            "the server failed (code 503): try again"
        )
        XCTAssertNil(try verdict(rule, 200, coded)?.serverMessage)
    }
}
