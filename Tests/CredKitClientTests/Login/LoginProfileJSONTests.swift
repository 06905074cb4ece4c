// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitClient

final class LoginProfileJSONTests: XCTestCase {
    private func profile(_ json: String) throws(ClientError) -> LoginProfile {
        try LoginProfile(json: Array(json.utf8))
    }

    func testOmittedSettingsDefaultToTheTimestampedLogin() throws {
        let timestamped = LoginProfile.timestamped(keyPhrase: "itheima")
        XCTAssertEqual(try profile(#"{"scheme": "timestamped", "keyPhrase": "itheima"}"#), timestamped)
        XCTAssertEqual(
            try profile(
                """
                {"scheme": "timestamped", "keyPhrase": "itheima", "timePath": "/hmackey.php", "timeField": "key",
                "timeFormat": "minute", "loginPath": "/loginhmac.php", "usernameField": "username",
                "passwordField": "password", "success": {"field": "userId", "greaterThan": 0},
                "logoutPath": "/logout.php", "tokenHeader": "x-auth-token",
                "expired": {"statuses": [401], "codes": [], "loginPages": []}, "timeZone": null}
                """
            ),
            timestamped
        )
        guard case .timestamped("itheima", let time) = timestamped.scheme else {
            return XCTFail("another scheme")
        }
        XCTAssertEqual([time.path, time.field, time.format.rawValue], ["/hmackey.php", "key", "minute"])
        XCTAssertNil(time.timeZone)
        XCTAssertEqual(timestamped.loginPath, "/loginhmac.php")
        XCTAssertEqual(timestamped.success, .field("userId", greaterThan: 0))
        XCTAssertEqual(timestamped.logoutPath, "/logout.php")
        XCTAssertEqual(timestamped.tokenHeader, "x-auth-token")
        XCTAssertEqual(timestamped.expiry.statuses, [401])
        XCTAssertEqual(try profile(#"{"scheme": "form"}"#), .form())
        XCTAssertEqual(try profile(#"{"scheme": "form"}"#).loginPath, "/login.php")
        XCTAssertEqual(try profile(#"{"scheme": "insecureGetForm"}"#), .insecureGetForm())
        let none = try profile(#"{"scheme": "form", "logoutPath": "", "tokenHeader": ""}"#)
        XCTAssertNil(none.logoutPath)
        XCTAssertNil(none.tokenHeader)
    }

    func testPathsAreComparedByBytes() throws {
        // A character of Swift may consist of a slash and an accent.
        for (path, isValid) in [
            ("/\u{301}a", true), ("//a", false), ("//\u{301}a", false), ("\u{301}/", false),
        ] {
            let json = #"{"scheme": "form", "loginPath": "\#(path)"}"#
            if isValid {
                XCTAssertNoThrow(try profile(json), path)
            } else {
                XCTAssertThrowsError(try profile(json), path)
            }
        }
    }

    func testProfilesRoundTrip() throws {
        var time = LoginProfile.ChallengeSource()
        time.path = "/t?x=1"
        time.field = "data.time"
        time.format = .opaque
        time.timeZone = "Asia/Shanghai"
        var profiles = [
            LoginProfile.timestamped(keyPhrase: "a \"phrase\" \u{1F511}"),
            .timestamped(keyPhrase: "k", challenge: time),
            .form(), .insecureGetForm(path: "/get"),
        ]
        let rules: [LoginProfile.SuccessRule] = [
            .field("a.b", greaterThan: -3), .envelope(.headBody), .envelope(.codeData), .status(302),
            .envelope(Envelope(code: "s.n", message: "s.t", body: "r", successCodes: [1, 2])),
        ]
        for rule in rules {
            var profile = LoginProfile.form(path: "/in")
            profile.usernameField = "u"
            profile.passwordField = "p"
            profile.success = rule
            profile.logoutPath = nil
            profile.tokenHeader = nil
            profile.expiry.statuses = []
            profile.expiry.codes = [-1, 40_101]
            profile.expiry.loginPages = ["/login.html"]
            profiles.append(profile)
        }
        for csrf in [
            LoginProfile.CSRFToken(path: "/login", source: .input("t"), destination: .field("t")),
            LoginProfile.CSRFToken(path: "/login", source: .input("t"), destination: .header("x-csrf")),
            LoginProfile.CSRFToken(path: "/", source: .cookie("c"), destination: .field("f")),
        ] {
            var profile = LoginProfile.form()
            profile.csrfToken = csrf
            profile.sendsJSON = true
            profile.tokenMember = "data.token"
            profile.tokenPrefix = "JWT "
            profiles.append(profile)
        }
        profiles += [.bearer(), .bearer(checkPath: "/me", header: "private-token", prefix: "a ")]
        for profile in profiles { XCTAssertEqual(try LoginProfile(json: profile.json()), profile) }
    }

    func testTokenMemberHasFittingDefaults() throws {
        let form = try profile(#"{"scheme": "form", "body": "json", "tokenMember": "token"}"#)
        XCTAssertEqual(form.success, .status(200))
        XCTAssertEqual(form.tokenHeader, "authorization")
        XCTAssertTrue(form.sendsJSON)
        let other = try profile(
            #"{"scheme": "form", "tokenMember": "t", "tokenHeader": "x-t", "success": {"status": 201}}"#
        )
        XCTAssertEqual(other.success, .status(201))
        XCTAssertEqual(other.tokenHeader, "x-t")
        let page = try profile(#"{"scheme": "form", "csrf": {"path": "/login", "input": "t"}}"#)
        XCTAssertEqual(page.csrfToken?.destination, .field("t"))
        for (json, word) in [
            (#"{"scheme": "form", "tokenMember": ""}"#, "tokenMember"),
            (#"{"scheme": "form", "tokenMember": "t", "tokenHeader": ""}"#, "tokenHeader"),
            (#"{"scheme": "form", "tokenPrefix": "t "}"#, "tokenPrefix"),
            (#"{"scheme": "bearer", "tokenPrefix": "a\r\nb"}"#, "tokenPrefix"),
            (#"{"scheme": "bearer", "tokenHeader": ""}"#, "tokenHeader"),
            (#"{"scheme": "form", "body": "xml"}"#, "body"),
            (#"{"scheme": "insecureGetForm", "body": "json"}"#, "body"),
            (#"{"scheme": "form", "csrf": {"input": "t"}}"#, "csrf.path is missing"),
            (#"{"scheme": "form", "csrf": {"path": "/", "input": "t", "cookie": "c"}}"#, "csrf"),
            (#"{"scheme": "form", "csrf": {"path": "/", "cookie": "c"}}"#, "field or header"),
            (#"{"scheme": "form", "csrf": {"path": "x", "input": "t"}}"#, "slash"),
            (#"{"scheme": "form", "csrf": {"path": "/", "input": ""}}"#, "csrf"),
            (#"{"scheme": "form", "csrf": {"path": "/", "cookie": "c", "header": "Cookie"}}"#, "header"),
            (#"{"scheme": "form", "csrf": {"path": "/", "input": "t", "name": "t"}}"#, "csrf.name"),
        ] {
            XCTAssertThrowsError(try profile(json), json) {
                XCTAssertTrue("\($0)".contains(word), "\(json): \($0)")
            }
        }
    }

    func testErrorsNameTheInvalidSetting() throws {
        let start = #"{"scheme": "timestamped", "keyPhrase": "hidden-phrase""#
        for (rest, word) in [
            (#", "usernamefield": "u"}"#, "usernamefield"),
            (#", "success": {"status": 200, "x": 1}}"#, "success.x"),
            (#", "expired": {"status": [401]}}"#, "expired.status"),
            (#", "timePath": 3}"#, "timePath is not a text"),
            (#", "success": {"envelope": {"code": "c", "successCodes": [1], "mesage": "m"}}}"#, "mesage"),
            (#", "success": {"envelope": "other"}}"#, "success.envelope"), (#", "success": {}}"#, "success"),
            (#", "success": {"field": "userId"}}"#, "success"),
            (#", "success": {"field": "", "greaterThan": 0}}"#, "field"),
            (#", "success": {"field": "a", "greaterThan": 0, "status": 200}}"#, "success"),
            (#", "success": {"status": 500}}"#, "200 to 399"),
            (#", "success": "yes"}"#, "success is not an object"),
            (#", "success": {"envelope": {"successCodes": []}}}"#, "success"),
            (#", "timeFormat": "seconds"}"#, "timeFormat"),
            (#", "timeZone": "Mars/Olympus"}"#, "Mars/Olympus"),
            (#", "timeField": ""}"#, "timeField"), (#", "timePath": "hmackey.php"}"#, "timePath"),
            (#", "loginPath": "//evil.example/"}"#, "loginPath"), (#", "loginPath": ""}"#, "loginPath"),
            (#", "logoutPath": "https://x/"}"#, "logoutPath"), (#", "usernameField": ""}"#, "fields"),
            (#", "usernameField": "password"}"#, "fields"), (#", "tokenHeader": "a b"}"#, "tokenHeader"),
            (#", "tokenHeader": "Content-Length"}"#, "tokenHeader"),
            (#", "tokenHeader": "Cookie"}"#, "tokenHeader"),
            (#", "expired": {"statuses": [500]}}"#, "400 to 499"),
            (#", "expired": {"statuses": [302]}}"#, "400 to 499"),
            (#", "expired": {"statuses": [200]}}"#, "400 to 499"),
            (#", "expired": {"statuses": ["401"]}}"#, "expired.statuses"),
            (#", "expired": [401]}"#, "expired is not an object"),
            (#", "expired": {"loginPages": ["login.html"]}}"#, "loginPages"), ("", "JSON"),
        ] {
            do throws(ClientError) {
                _ = try profile(start + rest)
                XCTFail("accepted: \(rest)")
            } catch {
                XCTAssertEqual(error, .invalidProfile)
                XCTAssertTrue(error.description.contains(word), "\(rest): \(error)")
                XCTAssertFalse(error.description.contains("hidden-phrase"))
                XCTAssertFalse(error.description.contains("Swift."), "\(error)")
            }
        }
        for (json, word) in [
            (#"{"schme": "bearer", "checkPath": "/me"}"#, "unknown setting 'schme'"),
            (#"{"checkPath": "/me"}"#, "scheme is missing"), ("{}", "scheme is missing"),
            (#"{"scheme": "digest"}"#, "scheme must be"),
            ("[]", "the top level is not an object"),
            (#"{"scheme": "timestamped"}"#, "keyPhrase is missing"), ("", "JSON"), ("null", "null"),
            (#"{"scheme": "timestamped", "keyPhrase": ""}"#, "empty keyPhrase"),
            (#"{"scheme": "form", "keyPhrase": "hidden-phrase"}"#, "keyPhrase is only allowed"),
            (#"{"scheme": "form", "timePath": "/t"}"#, "time settings are only allowed"),
            (#"{"scheme": "form", "a\u001bb": 1}"#, "'a b'"),
            (String(repeating: "[", count: 200_000), "JSON"),
        ] {
            do throws(ClientError) {
                _ = try profile(json)
                XCTFail("accepted: \(json)")
            } catch {
                XCTAssertEqual(error, .invalidProfile)
                XCTAssertTrue(error.description.contains(word), "\(json.prefix(80)): \(error)")
                XCTAssertFalse(error.description.contains("hidden-phrase"))
            }
        }
    }

    func testSessionRefusesUnusableProfiles() {
        var profile = LoginProfile.form()
        profile.success = .envelope(Envelope.none)
        XCTAssertThrowsError(try LoginSession(server: "https://a.example", profile: profile, keychain: nil)) {
            XCTAssertEqual($0 as? ClientError, .invalidProfile)
        }
    }

    func testRandomBytesDoNotCrash() {
        let text = Array(LoginProfile.timestamped(keyPhrase: "k").json())
        for _ in 0..<3_000 {
            var bytes = text
            for _ in 0..<3 {
                bytes[.random(in: 0..<bytes.count)] = [34, 44, 58, 91, 123, 0, 255, 48].randomElement() ?? 0
            }
            _ = try? LoginProfile(json: bytes)
        }
    }
}
