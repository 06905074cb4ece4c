// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit login`, `logout` and `sessions`, against a server that does not use CredKit.
final class LoginCommandTests: ShellTestCase {
    private var server: LoginServer!

    override func tearDown() {
        server?.stop()
        super.tearDown()
    }

    /// Starts the server. In a script `$U` is the server, `$L` is a login as alice without her password, and `expire` ends all
    /// sessions at the server.
    private func start(_ arguments: String...) throws {
        server = try LoginServer(shell, arguments)
        prefix = """
            U=http://127.0.0.1:\(server.port); L="credkit login $U --user alice --key-phrase itheima"
            expire() { curl -sSf "$U/control?expire=1" || exit; }

            """
    }

    private let logins = "POST /loginhmac.php"

    func testExpiredLoginIsRenewedAndLogoutLeavesNothing() throws {
        try start()
        let login = try run("printf 123456 | $L")
        let url = "http://127.0.0.1:\(server.port)"
        XCTAssertEqual(
            login.errors,
            "credkit: logged in to \(url)/ as alice\ncredkit: the server's clock is at UTC+00:00\n"
        )
        XCTAssertEqual(login.text, "")
        let answer = #"{"user": "alice", "id": "666"}"#
        XCTAssertEqual(try run("credkit request $U/studentList?id=666").text, answer)
        XCTAssertEqual(server.count(logins), 1)
        XCTAssertEqual(try run("expire; credkit request $U/studentList?id=666").text, answer)
        XCTAssertEqual(server.count(logins), 2)
        // The renewed login is saved for the next process.
        XCTAssertEqual(try run("credkit request $U/studentList?id=666").text, answer)
        XCTAssertEqual(server.count(logins), 2)

        XCTAssertEqual(try run("credkit sessions").text, "\(url)\t\(url)/\talice\trenews itself\n")
        XCTAssertEqual(
            try run("credkit logout").errors,
            "credkit: logged out alice of the session '\(url)'\n"
        )
        XCTAssertEqual(server.count("POST /logout.php"), 1)
        XCTAssertEqual(try run("credkit sessions; credkit keychain list").text, "")
        XCTAssertEqual(try run("find bin/home -path '*sessions/*'").text, "")
        XCTAssertEqual(try run("credkit request $U/studentList?id=666", 1).text, "log in\n")
        XCTAssertEqual(try run("credkit logout", 1).errors, "credkit: there is no session\n")
        XCTAssertEqual(server.count(logins), 2)
    }

    func testProcessesRenewALoginOnce() throws {
        try start()
        try run("printf 123456 | $L")
        let answers = try run(
            """
            expire; for i in $(seq 16); do credkit request $U/studentList > answer.$i & done; wait
            cat answer.* | grep -o alice | wc -l
            """
        )
        XCTAssertEqual(answers.text, "16\n")
        XCTAssertEqual(server.count(logins), 2)
    }

    func testRejectedPasswordIsTriedOnce() throws {
        try start()
        let outcome = try run("printf wrong-one | $L", 77)
        XCTAssertTrue(outcome.errors.contains("rejected"), outcome.errors)
        XCTAssertFalse(outcome.errors.contains("wrong-one"))
        XCTAssertEqual(server.count(logins), 1)
        XCTAssertEqual(try run("credkit sessions; credkit keychain list").text, "")
        // The same when a password changes on the server during a session.
        try run("printf 123456 | $L; credkit request $U/control?password=another; expire")
        try run("credkit request $U/studentList", 77)
        XCTAssertEqual(server.count(logins), 3)
    }

    func testServerErrorsHaveTheirOwnStatus() throws {
        for (answer, status) in [("429", 75), ("503", 69), ("404", 65), ("403", 77)] {
            try start("--answer", answer)
            try run("printf 123456 | $L", Int32(status))
            try run("printf 123456 | credkit login $U --user alice --mechanism form", Int32(status))
            server.stop()
        }
        // The server has stopped.
        for command in [
            "$L", "credkit login $U --user alice", "credkit hash legacy timestamp --key-phrase k --server $U",
        ] {
            let outcome = try run("printf 123456 | \(command)", 69)
            XCTAssertTrue(outcome.errors.contains("refused"), outcome.errors)
        }
        try run("credkit request $U/", 69)
    }

    func testNothingIsSentUnencryptedToAnotherHost() throws {
        try start()
        // An unused address: contacting it would time out with status 69.
        for command in [
            "credkit login http://192.0.2.1 --user alice --key-phrase itheima --timeout 5s",
            "credkit request http://192.0.2.1/ --timeout 5s",
            "credkit hash legacy timestamp --key-phrase itheima --server http://192.0.2.1 --timeout 5s",
        ] {
            let outcome = try run("printf 123456 | \(command)", 77)
            XCTAssertTrue(outcome.errors.contains("--allow-insecure-http"), outcome.errors)
            try run("printf 123456 | \(command) --allow-insecure-http --timeout 300ms", 69)
        }
        let outcome = try run("credkit request $U/redirect?to=http://192.0.2.1/", 77)
        XCTAssertTrue(outcome.errors.contains("unencrypted http"), outcome.errors)
    }

    func testUnsavedPasswordMustBeGivenAgain() throws {
        try start()
        try run("printf 123456 | $L --no-save; credkit request $U/studentList")
        XCTAssertTrue(try run("credkit sessions").text.hasSuffix("\tpassword not saved\n"))
        XCTAssertFalse(try run("credkit keychain list").text.contains("alice"))
        let outcome = try run("expire; credkit request $U/studentList", 77)
        XCTAssertTrue(outcome.errors.contains("log in again"), outcome.errors)
        XCTAssertEqual(server.count(logins), 1)
        // A new login works, and its saved password allows renewals.
        try run("printf 123456 | $L; expire; credkit request $U/studentList")
    }

    /// Two encodings of an accent are two users.
    func testNamesOfUsersAreComparedAsBytes() throws {
        try start()
        let login = "printf t | credkit login $U --profile bearer.json --user"
        try run("umask 077; echo '{\"scheme\": \"bearer\"}' > bearer.json; \(login) $'\\xc3\\xa9'")
        try run("\(login) $'e\\xcc\\x81'", 73)
    }

    func testSeveralSessionsCoexist() throws {
        try start()
        try run(
            "printf 123456 | $L; printf 654321 | credkit login $U --user bob --key-phrase itheima --session two"
        )
        for (option, user) in [("", "alice"), ("--session two", "bob")] {
            let text = try run("credkit request $U/studentList \(option)").text
            XCTAssertTrue(text.contains("\"\(user)\""), text)
        }
        let several = try run("credkit logout", 65)
        XCTAssertTrue(several.errors.contains("'http://127.0.0.1:\(server.port)', 'two'"), several.errors)
        // Neither session is mistaken for the other.
        try run("printf 654321 | credkit login $U --user bob --key-phrase itheima", 73)
        try run("credkit logout --session three", 1)
        try run("credkit logout --session two --quiet")
        XCTAssertEqual(
            try run("credkit sessions --json | jq -c '[.account, .renews]'").text,
            "[\"alice\",true]\n"
        )
        try run("credkit request $U/studentList; credkit logout")
    }

    func testDamagedSessionDoesNotHideOthersAndCanBeRemoved() throws {
        try start()
        try run("printf 123456 | $L")
        try run("for f in bin/home/.local/state/credkit/sessions/*; do echo junk > $f; done")
        try run("printf 654321 | credkit login $U --user bob --key-phrase itheima --session two")
        let lines = try run("credkit sessions", 65).text.split(separator: "\n")
        XCTAssertEqual(lines.count, 2)
        XCTAssertTrue(lines[0].contains("\tdamaged: "), "\(lines)")
        XCTAssertTrue(lines[1].hasPrefix("two\t"), "\(lines)")
        XCTAssertEqual(
            try run("credkit sessions --json | jq -c '[.account, .damage != null]'; exit 0").text,
            "[null,true]\n[\"bob\",false]\n"
        )
        try run("credkit request $U/studentList", 74)
        try run("credkit logout --session $U; credkit sessions")
        try run("for f in bin/home/.local/state/credkit/sessions/*; do rm $f; done; credkit sessions", 65)
        // A login replaces the damaged file.
        try run(
            "printf 654321 | credkit login $U --user bob --key-phrase itheima --session two; credkit sessions"
        )
    }

    func testChangedServerTimeZoneMustBeAccepted() throws {
        try start("--offset", "480")
        XCTAssertTrue(try run("printf 123456 | $L").errors.contains("at UTC+08:00"))
        try run("credkit request $U/control?offset=540; expire")
        for command in ["credkit request $U/studentList", "$L"] {
            let outcome = try run("printf 123456 | \(command)", 77)
            XCTAssertTrue(outcome.errors.contains("--accept-time-offset +09:00"), outcome.errors)
        }
        XCTAssertEqual(server.count(logins), 1)
        try run("printf 123456 | $L --accept-time-offset -09:00", 77)
        let accepted = try run(
            "printf 123456 | $L --accept-time-offset +09:00 --json | jq .timeOffsetMinutes"
        )
        XCTAssertEqual(accepted.text, "540\n")
        try run("credkit request $U/control?offset=-150; printf 123456 | $L --accept-time-offset -2:30")
        // An offset that no time zone has is refused even if accepted. With --time-zone no other offset is accepted.
        try run("credkit request $U/control?offset=67; printf 123456 | $L --accept-time-offset 67", 77)
        try run("credkit request $U/control?offset=480")
        let zoned =
            "printf 123456 | credkit login $U --user alice --key-phrase itheima --session zoned --time-zone"
        try run("\(zoned) Asia/Tokyo", 77)
        try run("\(zoned) Asia/Shanghai; \(zoned) +08:00")
        try run("\(zoned) Mars/Olympus", 64)
    }

    func testProfileDefinesTheLogin() throws {
        try start()
        try run(#"echo '{"scheme": "form", "loginPath": "/login.php"}' > form.json"#)
        try run("printf 123456 | credkit login $U --user alice --profile form.json --quiet")
        XCTAssertEqual(server.count("POST /login.php"), 1)
        try run("credkit request $U/studentList")
        for (json, message) in [
            ("{", "not JSON"), ("{\"scheme\": \"form\", \"loginPth\": \"/\"}", "loginPth"),
            ("[]", "not an object"),
            ("{\"scheme\": \"timestamped\"}", "keyPhrase"), ("", "not JSON"),
        ] {
            let outcome = try run(
                "printf 123456 | credkit login $U --user alice --profile <(echo '\(json)')",
                65
            )
            XCTAssertTrue(outcome.errors.contains(message), "\(json): \(outcome.errors)")
        }
        for options in [
            "", "--profile form.json --key-phrase k", "--profile form.json --mechanism form",
            "--mechanism form --key-phrase k",
            "--key-phrase-fd 0", "--profile -", "--key-phrase k --passphrase-fd 0",
            "--key-phrase k --key-phrase-file f", "--mechanism none",
            "--profile form.json --time-zone UTC", "--key-phrase k --accept-time-offset soon",
            "--key-phrase k hunter2",
        ] {
            let outcome = try run("printf 123456 | credkit login $U --user alice \(options)", 64)
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
        }
        try run(
            "printf 123456 | credkit login http://alice:hunter2@x.example --user alice --key-phrase k",
            64
        )
        try run("printf 123456 | credkit login $U --user alice --profile missing", 74)
        try run("printf '\\xff' > k; printf 123456 | credkit login $U --user alice --key-phrase-file k", 65)
    }

    func testTLSTrustsTheGivenCertificates() throws {
        _ = try shell.run(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out cert.pem \
                -addext subjectAltName=DNS:localhost
            cat key.pem cert.pem > both.pem
            """
        )
        try start("--certificate", shell.folder.appendingPathComponent("both.pem").path)
        let login =
            "printf 123456 | credkit login https://localhost:\(server.port) --user alice --key-phrase itheima"
        let outcome = try run(login, 77)
        XCTAssertTrue(outcome.errors.contains("--cacert"), outcome.errors)
        XCTAssertEqual(server.log, "")
        try run("\(login) --cacert cert.pem")
        let list = "https://localhost:\(server.port)/studentList"
        XCTAssertTrue(try run("credkit request \(list) --cacert cert.pem").text.contains("alice"))
        // The session keeps what made its login safer, in any folder.
        XCTAssertTrue(try run("cd /; credkit request \(list)").text.contains("alice"))
        // The file is checked each time: others may have got access to it since.
        for (change, end) in [
            ("chmod 666 cert.pem", "chmod 644 cert.pem"),
            (
                "mkdir open; mv cert.pem open; ln -s open/cert.pem .; chmod 777 open",
                "rm cert.pem; mv open/cert.pem ."
            ),
        ] {
            let refused = try run("\(change); credkit request \(list)", 77)
            XCTAssertTrue(refused.errors.contains("others can"), refused.errors)
            try run("\(end); credkit request \(list)")
        }
        try run("credkit request \(list) --cacert /etc/ssl/certs/ca-certificates.crt", 77)
        // So does the next login. A request that is answered with a cookie changes nothing for later ones.
        let cookie = "https://localhost:\(server.port)/cookie"
        try run("\(login) --cacert /etc/ssl/certs/ca-certificates.crt", 77)
        try run("\(login); cp cert.pem other.pem; credkit request \(cookie) --cacert other.pem")
        try run("rm other.pem; credkit request \(list)")
        try run("credkit request \(list) --anonymous", 77)
        // The host name must also match.
        try run("credkit request https://127.0.0.1:\(server.port)/echo --anonymous --cacert cert.pem", 77)
        try run("\(login) --cacert missing.pem", 74)
        try run("echo x > no.pem; \(login) --cacert no.pem", 65)
        try run("credkit logout")
        XCTAssertEqual(server.count("POST /logout.php"), 1)
    }

    func testTerminalPromptsOnceForThePasswordWithoutEcho() throws {
        try start()
        let session = try TerminalSession(
            shell,
            [
                "credkit", "login", "http://127.0.0.1:\(server.port)", "--user", "alice", "--key-phrase",
                "itheima",
            ],
            [["Password for alice at 127.0.0.1:\(server.port): ", "123456\n"]]
        )
        XCTAssertEqual(session.status, 0, session.screen)
        XCTAssertTrue(session.screen.contains("logged in to"), session.screen)
        XCTAssertFalse(session.screen.contains("123456"))
        try run("credkit request $U/studentList")
    }

    func testConcurrentProcessesAllSucceedAfterAnExpiredLogin() throws {
        try start()
        try run("printf 123456 | $L; expire")
        let outcome = try run(
            "for i in 1 2 3 4 5 6; do credkit request $U/studentList?id=$i & ids+=($!); done; "
                + "for id in ${ids[@]}; do wait $id || exit 1; done"
        )
        XCTAssertEqual(outcome.text.components(separatedBy: "alice").count, 7, outcome.text)
        try run("credkit sessions; credkit logout; [ -z \"$(credkit keychain list)\" ]")
    }

    func testSecretsAreNeverInPlaintext() throws {
        try start()
        let all = try run(
            """
            exec 2>&1
            mkfifo password
            credkit login $U --user alice --key-phrase itheima --password-file password --log-level trace --json & id=$!
            printf 123456 > password
            while cat /proc/$id/cmdline /proc/$id/environ 2>/dev/null; do sleep 0.01; done
            wait $id || exit 1
            credkit request $U/studentList --log-level trace; expire
            credkit request $U/studentList --log-level trace; credkit sessions --json
            credkit request $U/redirect?to=$U/studentList --log-level trace
            """
        )
        XCTAssertTrue(all.text.contains("login renewed"), all.text)
        XCTAssertTrue(all.text.contains("\"alice\""))
        let files = try run("find bin/home -type f -exec cat {} +").output
        XCTAssertGreaterThan(files.count, 500)
        let secrets = server.secrets + ["123456"]
        // The login and its renewal each have a cookie, a token and a proof; the password is the seventh secret.
        XCTAssertEqual(secrets.count, 7)
        for secret in secrets {
            let data = Data(secret.utf8)
            let hex = data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for form in [secret, String(data.base64EncodedString().prefix(8)), hex] {
                XCTAssertFalse(all.text.lowercased().contains(form.lowercased()), form)
                XCTAssertNil(files.range(of: Data(form.utf8)), form)
            }
        }
        // Control: the search would find it, because the keychain can read the password with its passphrase.
        XCTAssertEqual(
            try run("credkit keychain get $U alice --attribute credkit-purpose=session-secret").text,
            "123456"
        )
    }

    func testProofForTheServersMinute() throws {
        try start()
        let json = "printf 123456 | credkit hash legacy timestamp --key-phrase itheima --server $U --json"
        let script = """
            out=$(\(json)); text=$(jq -r .challenge <<< "$out")
            [ "$(jq -r .proof <<< "$out")" = "$(printf 123456 | credkit hash legacy timestamp --key-phrase itheima --at "$text")" ]
            """
        try run(script)
        let timestamp = "printf 123456 | credkit hash legacy timestamp --key-phrase itheima"
        // Two tries, in case a minute ends in between.
        try run(
            """
            for i in 1 2; do
                [ "$(\(timestamp) --server $U)" = "$(\(timestamp) --now --time-zone UTC)" ] && exit 0
            done; exit 1
            """
        )
        try run("\(timestamp) --server $U --time-zone Asia/Tokyo", 77)
        try run("\(timestamp) --server $U --time-path /studentList", 65)
        try run("\(timestamp) --server $U --time-field other", 65)
        for options in [
            "--server $U --now", "--time-path /x --now", "--server ftp://x", "--server $U --time-path x",
            "--server $U --time-zone Mars/Olympus", "--server $U --cacert /dev/stdin",
        ] { try run("\(timestamp) \(options)", 64) }
        XCTAssertEqual(server.count(logins), 0)
    }
}
