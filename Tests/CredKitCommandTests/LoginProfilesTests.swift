// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitCommand

/// `credkit login` at servers with the logins of well-known programs: with the profiles of `credkit help login`, and with what
/// the servers offer.
final class LoginProfilesTests: ShellTestCase {
    private struct Start: Decodable { let ports: [String: Int] }

    private var server: Process!
    private var ports: [String: Int] = [:]

    override func setUpWithError() throws {
        try super.setUpWithError()
        let output = Pipe()
        server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = ["python3", TestScripts.path("login_profiles_server.py")]
        server.standardInput = Pipe()
        server.standardOutput = output
        try server.run()
        ports = try JSONDecoder().decode(Start.self, from: output.fileHandleForReading.availableData).ports
    }

    override func tearDown() {
        server?.terminate()
        server?.waitForExit()
        super.tearDown()
    }

    private func url(_ kind: String) throws -> String { "http://127.0.0.1:\(try XCTUnwrap(ports[kind]))" }

    /// The commands of the topic, by example.
    static func examples() -> [String] {
        HelpTopic.login.text.components(separatedBy: "\n\n").filter {
            $0.contains("  credkit login https://")
        }
    }

    func testExamplesOfTheTopicWork() throws {
        var count = 0
        for example in Self.examples() where !example.contains("//scram.example") {
            var script = example
            for kind in ports.keys {
                script = script.replacingOccurrences(of: "https://\(kind).example", with: try url(kind))
            }
            XCTAssertFalse(script.contains(".example"), script)
            let outcome = try run("printf s3cret | {\n\(script)\n}")
            XCTAssertEqual(outcome.text, #"{"user": "alice"}"#, outcome.errors)
            // A wrong secret is rejected, and the next line is not run.
            let login = try XCTUnwrap(script.components(separatedBy: "  credkit request ").first)
            let rejected = try run("printf wrong | {\n\(login)\n}", 77)
            XCTAssertTrue(rejected.errors.contains("rejected"), rejected.errors)
            count += 1
        }
        XCTAssertEqual(count, 6)
    }

    func testTopicFitsATerminalAndThePageNamesIt() throws {
        let topic = try run("credkit help login").text
        XCTAssertEqual(topic, HelpTopic.login.text + "\n")
        for line in topic.split(separator: "\n") { XCTAssertLessThanOrEqual(line.count, 78, "\(line)") }
        XCTAssertTrue(topic.contains("'credkit login --help'"))
        let page = try run("credkit login --help").text
        XCTAssertTrue(page.contains("'credkit help login'"))
        for mechanism in LoginProfileOptions.Mechanism.allCases {
            XCTAssertTrue(topic.contains("\n  \(mechanism.rawValue) "), mechanism.rawValue)
        }
    }

    func testServerThatAsksForATokenNeedsNoUser() throws {
        let login = try run("printf s3cret | credkit login \(url("bearer"))")
        XCTAssertTrue(login.errors.contains("asks for a token"), login.errors)
        XCTAssertTrue(
            login.errors.hasSuffix("logged in to \(try url("bearer"))/ with a token\n"),
            login.errors
        )
        XCTAssertEqual(try run("credkit request \(url("bearer"))/data").text, #"{"user": "alice"}"#)
        XCTAssertTrue(try run("credkit sessions").text.hasSuffix("\ttoken\tuntil its token expires\n"))
        XCTAssertEqual(try run("credkit sessions --json | jq .renews").text, "false\n")
        // With a user the secret is a password, which is not sent as a token because the server wants one.
        let named = "printf s3cret | credkit login \(try url("bearer")) --user ci --no-save"
        let refused = try run("credkit logout; \(named)", 64)
        XCTAssertTrue(refused.errors.contains("\n  --mechanism bearer "), refused.errors)
        XCTAssertTrue(
            refused.errors.hasPrefix("credkit: logged out of the session '\(try url("bearer"))'\n"),
            refused.errors
        )
        try run("\(named) --mechanism bearer")
        XCTAssertTrue(try run("credkit sessions").text.hasSuffix("\tci\ttoken not saved\n"))
    }

    func testBasicIsChosenWithAWord() throws {
        let login = try run("printf s3cret | credkit login \(url("whole")) --user alice")
        XCTAssertTrue(login.errors.contains("name and password themselves"), login.errors)
        // No secret is read before the way is known, and none without a user.
        let anonymous = try run("printf s3cret | credkit login \(url("whole")) --session other", 64)
        XCTAssertTrue(anonymous.errors.contains("--user"), anonymous.errors)
        // The session keeps the mechanism.
        XCTAssertEqual(try run("credkit request \(url("whole"))/").text, #"{"user": "alice"}"#)
    }

    func testServerDoesNotWeakenALogin() throws {
        let login = "printf s3cret | credkit login \(try url("whole")) --user alice"
        // Without a path to check, this sends nothing yet.
        try run(#"echo '{"scheme": "bearer"}' > p.json"#)
        try run("\(login) --profile p.json")
        let refused = try run(login, 64)
        XCTAssertTrue(refused.errors.contains("logged in by bearer"), refused.errors)
        XCTAssertTrue(refused.errors.contains("\n  --mechanism basic "), refused.errors)
        try run("\(login) --mechanism basic; \(login)")
    }

    func testSecretThatNoRequestChecksIsReported() throws {
        let login = "printf wrong | credkit login \(try url("basic")) --user alice --mechanism basic"
        let outcome = try run(login)
        XCTAssertTrue(outcome.errors.contains("so the password was not checked"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("checkPath"), outcome.errors)
        let checked = try run("printf s3cret | credkit login \(url("whole")) --user alice")
        XCTAssertFalse(checked.errors.contains("not checked"), checked.errors)
    }

    func testChoicesAreNamed() throws {
        let several = try run("printf s3cret | credkit login \(url("gitlab")) --user alice", 64)
        XCTAssertTrue(several.errors.contains("leaves the choice to you"), several.errors)
        XCTAssertTrue(
            several.errors.contains("--mechanism oauth --issuer '\(try url("gitlab"))' --client-id ID"),
            several.errors
        )
        XCTAssertTrue(several.errors.contains("\n  --mechanism bearer "), several.errors)
        // An option is not ignored because the server offers something else.
        let other = try run("printf s3cret | credkit login \(url("bearer")) --client-id desktop", 64)
        XCTAssertTrue(other.errors.contains("\n  --mechanism bearer "), other.errors)
        XCTAssertTrue(other.errors.contains("offers one way to log in"), other.errors)
        let none = try run("printf s3cret | credkit login \(url("django")) --user alice", 64)
        XCTAssertTrue(none.errors.contains("does not say how to log in"), none.errors)
        for mechanism in LoginProfileOptions.Mechanism.allCases {
            XCTAssertTrue(none.errors.contains("\n  --mechanism \(mechanism.rawValue)"), none.errors)
        }
        XCTAssertTrue(none.errors.contains("'credkit help login'"), none.errors)
        let prompted = try TerminalSession(
            shell,
            ["credkit", "login", try url("django"), "--user", "alice"],
            []
        )
        XCTAssertEqual(prompted.status, 64, prompted.screen)
        XCTAssertFalse(prompted.screen.contains("Password"), prompted.screen)
    }

    func testPromptsFitTheMechanism() throws {
        let host = try url("whole").dropFirst("http://".count)
        let basic = try TerminalSession(
            shell,
            ["credkit", "login", try url("whole"), "--user", "alice"],
            [["Password for alice at \(host): ", "s3cret\n"]]
        )
        XCTAssertEqual(basic.status, 0, basic.screen)
        let bearer = try TerminalSession(
            shell,
            ["credkit", "login", try url("bearer"), "--mechanism", "bearer"],
            [["Token: ", "s3cret\n"]]
        )
        XCTAssertEqual(bearer.status, 0, bearer.screen)
    }

    func testErrorsNameTheMemberOfTheProfile() throws {
        for (kind, profile, status, words) in [
            (
                "api", #"{"scheme": "form", "loginPath": "/api/login", "body": "json"}"#, 65,
                ["'userId', only the members access_token, token_type", #""success" in a login profile"#]
            ),
            ("api", #"{"scheme": "form", "loginPath": "/api/login"}"#, 65, [#""body": "json""#]),
            (
                "api",
                #"{"scheme": "form", "loginPath": "/api/login", "body": "json", "tokenMember": "token"}"#, 65,
                ["'token', only the members access_token", "tokenMember"]
            ),
            ("gitlab", #"{"scheme": "form"}"#, 65, ["loginPath"]),
            ("gitlab", #"{"scheme": "bearer", "checkPath": "/"}"#, 77, ["checkPath"]),
            (
                "django", #"{"scheme": "form", "loginPath": "/accounts/login/"}"#, 77,
                [#""csrf" in a login profile"#]
            ),
            ("angular", #"{"scheme": "form", "body": "json"}"#, 65, [#""csrf" in a login profile"#]),
            (
                "django",
                #"{"scheme": "form", "loginPath": "/accounts/login/", "csrf": {"path": "/accounts/login/", "input": "token"}}"#,
                65, ["no input 'token'"]
            ),
        ] as [(String, String, Int32, [String])] {
            let login = try run(
                "echo '\(profile)' > p.json; printf s3cret | credkit login \(url(kind)) --user alice --profile p.json",
                status
            )
            for word in words { XCTAssertTrue(login.errors.contains(word), "\(profile): \(login.errors)") }
            if status == 65 { XCTAssertTrue(login.errors.contains("'credkit help login'"), login.errors) }
            XCTAssertFalse(login.errors.contains("s3cret"), login.errors)
            XCTAssertFalse(login.errors.contains("token-"), login.errors)
        }
    }

    func testCookieInAHeader() throws {
        let profile = """
            {"scheme": "form", "body": "json", "loginPath": "/login", "tokenMember": "access_token", "logoutPath": "",
             "csrf": {"path": "/csrf-cookie", "cookie": "XSRF-TOKEN", "header": "X-XSRF-TOKEN"}}
            """
        try run(
            "echo '\(profile)' > p.json; printf s3cret | credkit login \(url("angular")) --user alice --profile p.json"
        )
    }

    /// The message is shown, unless it repeats what was sent.
    func testServersMessageIsShown() throws {
        let profile =
            #"{"scheme": "form", "loginPath": "/api/login", "body": "json", "tokenMember": "access_token"}"#
        let login =
            "echo '\(profile)' > p.json; printf other | credkit login \(try url("api")) --profile p.json"
        let rejected = try run("\(login) --user alice", 77)
        XCTAssertTrue(
            rejected.errors.contains("the server says 'unknown user or wrong password'"),
            rejected.errors
        )
    }

    func testServersMessageThatRepeatsThePasswordIsNotShown() throws {
        let profile =
            #"{"scheme": "form", "loginPath": "/api/login", "body": "json", "tokenMember": "access_token"}"#
        let login =
            "echo '\(profile)' > p.json; printf hunter2 | credkit login \(try url("api")) --profile p.json"
        let rejected = try run("\(login) --user echo", 77)
        XCTAssertFalse(rejected.errors.contains("says"), rejected.errors)
        XCTAssertFalse(rejected.errors.contains("hunter2"), rejected.errors)
    }
}
