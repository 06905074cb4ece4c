// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// `credkit request` with sessions that exist and sessions that do not, and what it tells of answers.
@Suite(.serialized)
final class SessionRequestTests {
    private let shell: Shell
    private let server: LoginServer

    init() throws {
        shell = try Shell()
        server = try LoginServer(shell)
    }

    deinit {
        server.stop()
        shell.remove()
    }

    private var url: String { "http://127.0.0.1:\(server.port)" }

    /// Runs a script in which `$U` is the server, and checks its exit status.
    @discardableResult
    private func run(
        _ script: String,
        _ status: Int32 = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Shell.Outcome {
        let outcome = try shell.run("U=\(url); \(script)")
        #expect(outcome.status == status, "\(script): \(outcome.errors)", sourceLocation: location)
        return outcome
    }

    private func logIn(_ options: String = "") throws {
        let mechanism = "--mechanism timestamp --key-phrase itheima"
        try run("printf 123456 | credkit login $U --user alice \(mechanism) \(options)")
    }

    // MARK: Sessions that do not exist

    @Test
    func namedSessionMustExist() throws {
        for options in ["", "-d a=1", "-o body", "--paginate page"] {
            let outcome = try run("credkit request --session nosuch $U/echo \(options)", 64)
            #expect(outcome.errors.contains("there is no session 'nosuch', and nothing was sent"))
        }
        // Also one whose file the keychain has no key of.
        try logIn("--session work")
        try run("credkit request --session work --vault other $U/echo", 64)
        #expect(server.count("GET /echo") + server.count("POST /echo") == 0)
    }

    @Test
    func noPassphraseIsAskedWithoutASession() throws {
        try run("printf s3cret | credkit keychain set some item")
        let command = "env -u CREDKIT_PASSPHRASE setsid --wait credkit request"
        try run("\(command) $U/echo")
        try run("\(command) --session nosuch $U/echo", 64)
        // There is a session, but not of this server.
        try logIn("--session work")
        try run("\(command) $U/echo")
        try run("\(command) --session work $U/echo --no-prompt", 77)
    }

    // MARK: Relative URLs

    @Test
    func pathIsOneOfTheServerOfTheSession() throws {
        try logIn("--session work")
        for (path, target) in [
            ("/studentList?id=7", "/studentList?id=7"), ("/a/../echo?1", "/echo?1"),
            ("./echo?to=//evil.example", "/echo?to=//evil.example"), ("../../echo?2", "/echo?2"),
            ("/..//evil.example/echo", "/evil.example/echo"), ("/@evil.example:1/x", "/@evil.example:1/x"),
        ] {
            _ = try shell.run("credkit request --session work '\(path)'")
            #expect(server.log.contains("\(target)\n"), "\(path): \(server.log)")
        }
        #expect(try run("credkit request --session work /studentList?id=7 | jq -r .user").text == "alice\n")
        let count = server.log.count
        for path in [
            "//127.0.0.1:1/x", "/\\\\evil.example", "evil.example/x", "?a=b", "/a$'\\n'b",
            ".x://evil.example/",
        ] {
            try run("credkit request --session work \(path)", 64)
        }
        for options in ["", "--anonymous"] {
            let outcome = try run("credkit request /echo \(options)", 64)
            #expect(outcome.errors.contains("https://"))
        }
        #expect(server.log.count == count)
    }

    // MARK: Own cookies

    @Test
    func ownCookiesAreNotLost() throws {
        try logIn()
        let refused = try run("credkit request $U/echo -H 'Cookie: a=b'", 64)
        #expect(refused.errors.contains("--anonymous"))
        #expect(server.count("GET /echo") == 0)
        try run("credkit request $U/echo --anonymous -H 'Cookie: a=b'")
        #expect(server.count("GET /echo") == 1)
    }

    // MARK: What servers say of failures

    @Test
    func answerThatMeansAnExpiredLoginIsPrinted() throws {
        try logIn("--no-save")
        try run("credkit request \"$U/control?expire=1\"")
        let plain = try run("credkit request $U/studentList", 77)
        #expect(plain.text == "log in\n")
        #expect(plain.errors.contains("the login has expired"))
        let head = try run("credkit request -i $U/studentList", 77)
        #expect(head.text.hasPrefix("HTTP 401 Unauthorized\n") && head.text.hasSuffix("\n\nlog in\n"))
        #expect(try run("credkit request -f $U/studentList", 77).text == "")
        let file = try run("credkit request -o body $U/studentList; s=$?; cat body; exit $s", 77)
        #expect(file.text == "log in\n")
        try run("head -c 2000000 /dev/zero > large")
        try run("credkit request -T large \"$U/upload?login=1\" | grep -x 'log in'")
    }

    @Test
    func messageAndWaitAreShownWhereTheBodyIsNot() throws {
        let said = "status 503 Service Unavailable: Busy: try again later (retry in 5 seconds)\n"
        for options in ["-f", "-f -o body"] {
            let outcome = try run("credkit request \(options) $U/busy", 1)
            #expect(outcome.errors == "credkit: the server answered with \(said)")
        }
        for options in ["--paginate page", "-C - -o body"] {
            let outcome = try run("credkit request \(options) $U/busy", 1)
            #expect(outcome.errors.hasSuffix("status 503: Busy: try again later (retry in 5 seconds)\n"))
        }
        let printed = try run("credkit request $U/busy", 1)
        #expect(printed.text.contains("try again later"))
        #expect(
            printed.errors
                == "credkit: the server answered with status 503 Service Unavailable (retry in 5 seconds)\n"
        )
        let text = try run("credkit request -f \"$U/text?status=429&body=not%1B%5Bnow&type=text/plain\"", 1)
        #expect(text.errors.hasSuffix("status 429 Too Many Requests: not [now\n"))
        let page = try run("credkit request -f \"$U/text?status=404&body=%3Ch1%3E&type=text/html\"", 1)
        #expect(page.errors == "credkit: the server answered with status 404 Not Found\n")
    }

    @Test
    func missingSessionIsNamedWhereTheServerAsksForALogin() throws {
        let advice = "; there is no session for this server (credkit login)\n"
        try logIn()
        try run("credkit request $U/studentList; credkit logout -q")
        for options in ["", "-o body", "-C - -o part"] {
            let outcome = try run("credkit request $U/studentList \(options)", 1)
            #expect(
                outcome.errors.contains("status 401") && outcome.errors.hasSuffix(advice),
                "\(outcome.errors)"
            )
        }
        // Neither where another status came, nor where no session was asked for.
        try run("printf 'Authorization: Bearer a\\n' > headers")
        for options in ["--anonymous", "-H @headers"] {
            let outcome = try run("credkit request $U/studentList \(options)", 1)
            #expect(outcome.errors == "credkit: the server answered with status 401 Unauthorized\n")
        }
        #expect(try !run("credkit request $U/busy", 1).errors.contains("session"))
    }

    // MARK: --verbose

    @Test
    func verboseShowsMessagesWithoutSecrets() throws {
        try logIn("--session work")
        try run("printf 'X-Key: k3y\\nAuthorization: Bearer b3arer\\n' > headers")
        let outcome = try run(
            """
            credkit request -v --session work "$U/cookie?token=t0ken&page=2" -H @headers -d password=p4ss
            credkit request -v --session work /studentList?id=s3ven
            credkit request "$U/control?expire=1"; credkit request -v --session work /studentList
            credkit request -v "$U/redirect?to=http://u:s3cr@127.0.0.1:1/?c=c0de" || exit 0
            """
        )
        for line in [
            "* connected to 127.0.0.1, unencrypted", "> POST /cookie?token=***&page=2",
            "> Host: 127.0.0.1:\(server.port)", "> X-Key: ***", "> Authorization: Bearer ***",
            "* sending 13 bytes", "< HTTP 302 Found", "< Set-Cookie: seen=***; Path=/", "< Location: /echo",
            "* following a redirect to \(url)/echo", "> GET /echo", "* cache: CredKit; fwd=miss",
            "> GET /studentList?id=***", "< HTTP 401 Unauthorized",
            "* the login was renewed: sending the request again", "< Location: ***",
        ] { #expect("\n\(outcome.errors)".contains("\n\(line)\n"), "\(line): \(outcome.errors)") }
        #expect(outcome.errors.contains("> Cookie: session=***"))
        #expect(outcome.errors.lowercased().contains("\n> x-auth-token: ***\n"))
        let secrets = ["123456", "k3y", "b3arer", "p4ss", "t0ken", "s3ven", "s3cr", "c0de"] + server.secrets
        #expect(secrets.count >= 8 + 6)
        for secret in secrets { #expect(!outcome.errors.contains(secret), "\(secret): \(outcome.errors)") }
        #expect(try run("credkit request $U/bytes").errors == "")
    }

    // MARK: JSON on a terminal

    /// Runs a request on a pseudo-terminal.
    private func screen(
        _ body: String,
        type: String = "application/json",
        _ environment: String
    ) throws -> String {
        let coded = body.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let command = "\(environment) credkit request \"\(url)/text?type=\(type)&body=\(coded)\""
        let session = try TerminalSession(shell, ["bash", "-c", command], [])
        #expect(session.status == 0)
        return session.screen.replacing("\r\n", with: "\n")
    }

    @Test
    func jsonIsLaidOutOnATerminalOnly() throws {
        let json = #"{"b":[1.10,18446744073709551617,[]],"a":"x\u001b","b":{"c":null}}"#
        let lines = """
            {
              "b": [
                1.10,
                18446744073709551617,
                []
              ],
              "a": "x\\u001b",
              "b": {
                "c": null
              }
            }

            """
        for environment in ["TERM=dumb", "TERM=xterm NO_COLOR=1", "env -u TERM"] {
            #expect(try screen(json, environment) == lines)
        }
        #expect(try screen(json, type: "application/problem%2Bjson;charset=utf-8", "TERM=dumb") == lines)
        #expect(try screen(json, type: "text/plain", "TERM=xterm") == json)
        let colored = try screen(json, "env -u NO_COLOR TERM=xterm")
        #expect(colored.contains("\u{1B}[34m\"b\"\u{1B}[0m: [\n    \u{1B}[36m1.10\u{1B}[0m,"))
        #expect(try run("credkit request '\(url)/text?type=application/json&body=%5B1%5D'").text == "[1]")
        // Malformed documents are shown as they are, and nothing in them reaches the terminal.
        for malformed in [#"{"a":1,}"#, "[1 2]", "[01]", #"["a"#, "[1]]", "", #"{"a"}"#, "nul"] {
            #expect(try screen(malformed, "TERM=xterm") == malformed)
        }
        #expect(try screen("[\"\u{7F}\"]", "TERM=dumb") == "[\n  \"\\177\"\n]\n")
    }
}
