// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// OAuth from the shell, at a server that is not part of CredKit.
final class OAuthCommandTests: ShellTestCase {
    private static let isDeep = TestForm.isDeep

    private var server: Process!

    override func setUpWithError() throws {
        try super.setUpWithError()
        let (input, output) = (Pipe(), Pipe())
        server = Process()
        server.executableURL = TestScripts.python
        server.arguments = [TestScripts.path("oauth_server.py")]
        server.standardInput = input
        server.standardOutput = output
        try server.run()
        struct Start: Decodable { let port: Int }
        let start = try JSONDecoder().decode(Start.self, from: output.fileHandleForReading.availableData)
        // control COMMAND sends a command; state MEMBER prints a member of the state; waitfor CONDITION asks until it holds.
        prefix = """
            U=http://127.0.0.1:\(start.port)
            control() { curl -sSf "$U/control" -d "$1" || exit; }
            state() { control '{"state": true}' | python3 -c "import json, sys; s = json.load(sys.stdin); print($1)"; }
            waitfor() { until [ "$(state "$1")" = True ]; do :; done; }
            L="credkit login $U --user alice --profile profile.json"
            cat >profile.json <<'END'
            {"scheme": "oauth", "clientID": "desktop", "scope": "students", "tokenPath": "/token",
             "deviceAuthorizationPath": "/device_authorization", "revocationPath": "/revoke"}
            END

            """
    }

    override func tearDown() {
        server?.terminate()
        server?.waitForExit()
        super.tearDown()
    }

    func testLoginWithAnotherDeviceRenewalAndLogout() throws {
        let login = try run(
            """
            credkit login $U --user alice --mechanism oauth --issuer $U --client-id desktop --scope students --json \
                --use-device-code & pid=$!
            waitfor "len(s['codes']) == 1"
            tr '\\0' ' ' </proc/$pid/cmdline >seen
            control '{"approve": "'$(state "s['codes'][0]")'", "user": "bob"}' >approved
            wait $pid
            """
        )
        let lines = login.errors.split(separator: "\n")
        XCTAssertEqual(lines.count, 3)
        let code = try XCTUnwrap(lines.first?.split(separator: " ").first { $0.hasPrefix("CODE-") })
        XCTAssertTrue(lines[0].hasPrefix("credkit: open http://127.0.0.1:"), "\(lines)")
        XCTAssertTrue(lines[0].hasSuffix("/device and enter the code \(code) within 30 minutes"), "\(lines)")
        XCTAssertTrue(lines[1].hasSuffix("/device?code=\(code)"), "\(lines)")
        XCTAssertTrue(login.text.contains(#""account":"alice""#), login.text)
        XCTAssertTrue(login.text.contains(#""renews":true"#), login.text)
        let answer = #"{"user": "bob"}"#
        XCTAssertEqual(try run("credkit request $U/data; credkit request $U/data").text, answer + answer)
        XCTAssertEqual(try run("state \"s['refreshes']\"").text, "0\n")
        let renewed = try run(
            """
            control '{"expire": true}' >seen.json; credkit request $U/data -i; echo
            state "s['refreshes'], s['reused'], s['valid'] == ['$(credkit keychain get $U alice --attribute credkit-purpose=session-secret)']"
            """
        )
        XCTAssertTrue(renewed.text.hasSuffix(answer + "\n1 0 True\n"), renewed.text)
        XCTAssertEqual(renewed.errors, "")
        // Neither file nor output contains a token, but for the keychain and the encrypted session.
        let found = try run(
            """
            state "'\\n'.join(s['valid'] + [h[7:] for r in s['requests'] for h in r[2].values() if h[:7] == 'Bearer '])" >tokens
            test -s tokens && mv tokens /tmp/$$ && ! grep -rFf /tmp/$$ . ; s=$?; rm /tmp/$$; exit $s
            """
        )
        XCTAssertEqual(found.text, "")
        let logout = try run(
            "T=$(credkit keychain get $U alice --attribute credkit-purpose=session-secret); credkit logout -q; state \"s['revoked'] == ['$T'], s['valid']\"; credkit keychain list"
        )
        XCTAssertEqual(logout.text, "True []\n")
    }

    func testRefusedAndEndedLogins() throws {
        let refused = try run(
            """
            $L & pid=$!
            waitfor "len(s['codes']) == 1"
            control '{"deny": "'$(state "s['codes'][0]")'"}' >denied
            wait $pid
            """,
            77
        )
        XCTAssertTrue(
            refused.errors.contains("refused at the authorization server (access_denied)"),
            refused.errors
        )
        let rejected = try run("printf wrong | $L --password-file -", 77)
        XCTAssertTrue(rejected.errors.contains("rejected the refresh token"), rejected.errors)
        let control = try run("printf 'a\\nb' | $L --password-file -", 64)
        XCTAssertTrue(control.errors.contains("visible ASCII"), control.errors)
        XCTAssertEqual(try run("credkit sessions; credkit keychain list").text, "")
    }

    func testProfilesOfAnotherServerNeedItsOrigin() throws {
        let outcome = try run(
            """
            sed -i 's|"scope"|"server": "http://localhost:1", "scope"|' profile.json
            printf token | $L --password-file -
            """,
            64
        )
        XCTAssertTrue(outcome.errors.contains("--credential-origin http://localhost:1"), outcome.errors)
    }

    func testIdentifierOfAShippedProfileMustBePutIn() throws {
        let script = "sed -i s/desktop/CLIENT-ID/ profile.json; printf wrong | $L --password-file -"
        let outcome = try run(script, 64)
        let advice =
            "profile.json: clientID is still 'CLIENT-ID': put in your client identifier, or give --client-id"
        XCTAssertEqual(outcome.errors, "credkit: \(advice)\n")
        XCTAssertEqual(try run("state \"len(s['requests'])\"").text, "0\n")
        let given = try run("printf wrong | $L --password-file - --client-id desktop", 77)
        XCTAssertTrue(given.errors.contains("rejected the refresh token"), given.errors)
    }

    func testIssuers() throws {
        let login = "credkit login $U --user alice --mechanism oauth --client-id desktop --issuer"
        let other = try run("\(login) http://localhost:${U##*:}", 65)
        XCTAssertTrue(other.errors.contains("calls itself 'http://127.0.0.1:"), other.errors)
        try run("\(login) $U/nothing", 65)
        try run("\(login) http://school.example", 77)
        try run("\(login) nothing", 64)
        try run("credkit login $U --user alice --mechanism oauth", 64)
        try run("credkit login $U --user alice --mechanism form --issuer $U", 64)
        try run("$L --scope students", 64)
        // The identifier of a profile can be replaced.
        let replaced = try run("printf wrong | $L --client-id unknown --password-file -", 69)
        XCTAssertTrue(replaced.errors.contains("does not accept this client"), replaced.errors)
        try run(
            "echo '{\"scheme\": \"basic\"}' >basic.json; credkit login $U --profile basic.json --client-id a",
            64
        )
    }

    func testServerWithoutES256() throws {
        let outcome = try run(
            """
            control '{"fault": "no ES256"}' >seen
            L="credkit login $U --user alice --mechanism oauth --client-id desktop --issuer $U --dpop"
            $L required; status=$?
            printf wrong | $L preferred --password-file -; echo $?
            state "[n for r in s['requests'] for n in r[2] if n.lower() == 'dpop']"
            exit $status
            """,
            69
        )
        XCTAssertTrue(outcome.errors.contains("proofs of a key (DPoP) by ES256"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("rejected the refresh token"), outcome.errors)
        XCTAssertEqual(outcome.text, "77\n[]\n")
    }

    /// A file is in the place of the folder of the session files.
    func testLoginThatCannotBeSavedLeavesNothing() throws {
        let outcome = try run(
            """
            mkdir -p ~/.local/state && mkdir -m 700 ~/.local/state/credkit && touch ~/.local/state/credkit/sessions
            control '{"grant": "alice"}' | tr -d '"' >token
            $L --password-file token; status=$?
            credkit sessions; credkit keychain list; state "s['refreshes'], s['valid']"
            exit $status
            """,
            74
        )
        let message = "credkit: the server accepted alice, but the session cannot be saved: "
        XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        XCTAssertFalse(outcome.errors.contains("may still have secrets"), outcome.errors)
        XCTAssertEqual(outcome.text, "1 []\n")
    }

    /// Defines IN, a login in the browser, and a browser that leaves the page it gets in the file `page`, and its arguments in
    /// the file `opened`.
    private var browser: String {
        """
        cat >browser <<'END'
        #!/bin/sh
        cd "${0%/*}"
        echo "$#" "$@" >>opened
        exec python3 '\(TestScripts.path("browser_user.py"))' "$1" page
        END
        chmod +x browser
        export BROWSER="$PWD/browser"
        IN="credkit login $U --user alice --mechanism oauth --issuer $U --client-id desktop --scope students"
        ended() { until [ -e page ]; do :; done; }

        """
    }

    func testLoginInTheBrowser() throws {
        let login = try run(
            browser
                + """
                $IN --json --login-hint alice@school.example --prompt consent --resource https://data.school.example/ & pid=$!
                tr '\\0' ' ' </proc/$pid/cmdline >arguments
                tr '\\0' '\\n' </proc/$pid/environ >environment
                wait $pid; status=$?; ended; exit $status
                """
        )
        XCTAssertTrue(login.text.contains(#""account":"alice""#), login.text)
        XCTAssertTrue(login.text.contains(#""renews":true"#), login.text)
        let lines = login.errors.split(separator: "\n")
        XCTAssertEqual(lines.count, 1, login.errors)
        XCTAssertTrue(lines[0].hasPrefix("credkit: open in a browser of this computer"), login.errors)
        XCTAssertTrue(lines[0].contains("login_hint=alice%40school.example"), login.errors)
        XCTAssertTrue(lines[0].hasSuffix("&prompt=consent"), login.errors)
        XCTAssertTrue(lines[0].contains("resource=https%3A%2F%2Fdata.school.example%2F"), login.errors)
        XCTAssertTrue(try run("grep -o 'status\": 200' page; cut -c1 opened").text.hasSuffix("200\n1\n"))
        XCTAssertEqual(try run("credkit request $U/data").text, #"{"user": "alice"}"#)
        // Verifier, code and token are in no file, argument or variable.
        let found = try run(
            """
            state "'\\n'.join(s['valid'] + [h[7:] for r in s['requests'] for h in r[2].values() if h[:7] == 'Bearer '])" >tokens
            state "'\\n'.join(v for r in s['requests'] if r[1] == '/token' for n, v in (p.split('=') for p in r[3].split('&')) if n in ('code', 'code_verifier'))" >>tokens
            rm page; test $(wc -l <tokens) = 4 && mv tokens /tmp/$$ && ! grep -rFf /tmp/$$ . ; s=$?; rm -f /tmp/$$; exit $s
            """
        )
        XCTAssertEqual(found.text, "")
        XCTAssertEqual(try run("credkit logout -q; state \"len(s['revoked']), s['valid']\"").text, "1 []\n")
    }

    func testLoginInABrowserThatTheUserOpens() throws {
        let login = try run(
            browser
                + """
                $IN --no-launch-browser 2>errors & pid=$!
                until grep -q code_challenge errors; do :; done
                URL=$(grep -o 'http://[^ ]*/authorize[^ ]*' errors)
                BACK=$(python3 -c 'import sys, urllib.parse as u; print(u.parse_qs(sys.argv[1])["redirect_uri"][0])' "$URL")
                curl -s --noproxy '*' -o answer -w '%{http_code}\\n' "$BACK?code=a&state=b"
                ./browser "$URL"
                wait $pid; cat errors
                """
        )
        XCTAssertTrue(login.text.contains("ssh -L PORT:127.0.0.1:PORT"), login.text)
        XCTAssertTrue(login.text.hasPrefix("400\n"), login.text)
        XCTAssertTrue(login.text.contains("an answer that is not one of this login"), login.text)
        XCTAssertTrue(login.text.contains("logged in to"), login.text)
    }

    /// Where no browser of this computer can be opened, a code is shown; and never after a refusal in the browser.
    func testChoiceOfTheWayIsMadeOnce() throws {
        let device = try run(
            browser
                + """
                unset BROWSER DISPLAY WAYLAND_DISPLAY
                $IN & pid=$!
                waitfor "len(s['codes']) == 1"
                control '{"deny": "'$(state "s['codes'][0]")'"}' >denied
                wait $pid
                """,
            77
        )
        XCTAssertTrue(device.errors.contains("and enter the code CODE-"), device.errors)
        for (fault, status, message) in [
            ("refused", 77, "(access_denied)"), ("escapes in error", 69, "could not complete the login"),
            ("another iss", 65, "is not one of the server"), ("redirect rewritten", 69, "redirect URL"),
        ] as [(String, Int32, String)] {
            let refused = try run(
                browser
                    + """
                    rm -f page opened
                    control '{"fault": "\(fault)"}' >control.json
                    $IN; status=$?; ended
                    python3 -c "import json; print('owned' in json.load(open('page'))['body'])"; exit $status
                    """,
                status
            )
            XCTAssertTrue(refused.errors.contains(message), refused.errors)
            XCTAssertFalse(refused.errors.contains("owned"), refused.errors)
            XCTAssertFalse(refused.errors.contains("enter the code"), refused.errors)
            XCTAssertEqual(refused.text, "False\n")
        }
        XCTAssertEqual(try run("credkit sessions; credkit keychain list").text, "")
    }

    func testOptionsThatDoNotFit() throws {
        for (options, message) in [
            ("--mechanism basic --use-device-code", "only for logins by OAuth"),
            (
                "--profile profile.json --redirect-uri http://127.0.0.1/x",
                "needs a server with a login in the browser"
            ),
            ("--profile profile.json --use-device-code --prompt login", "needs no browser"),
            (
                "--mechanism oauth --issuer $U --client-id desktop --redirect-uri https://school.example/x",
                "redirectURL"
            ),
            ("--mechanism oauth --issuer $U --client-id desktop --resource data", "resource must be a URI"),
            ("--mechanism oauth --issuer $U --client-id desktop --dpop maybe", "--dpop"),
        ] {
            let outcome = try run("printf a | credkit login $U --user alice \(options)", 64)
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
        }
        let given = try run("printf a | $L --use-device-code --password-file -", 64)
        XCTAssertTrue(given.errors.contains("A token was given"), given.errors)
    }

    /// Kills renewals at random moments. If the server lets a refresh token be valid until the next one is used, no login
    /// is lost; otherwise only one whose answer was under way.
    func testRenewalsThatAreKilled() throws {
        let count = Self.isDeep ? 25 : 6
        let outcome = try run(
            """
            set -e
            control '{"grant": "alice"}' | tr -d '"' >token
            $L -q --password-file token
            lost=0
            renewal() {
                control '{"expire": true}' >/dev/null
                if [ $((RANDOM % 2)) = 1 ]; then
                    # The server has done its work, and its answer is under way.
                    control '{"hold": true}' >/dev/null
                    credkit request $U/data >/dev/null 2>&1 & pid=$!
                    waitfor "s['held'] == 1"
                    control '{"hold": false}' >/dev/null
                    sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
                else
                    credkit request $U/data >/dev/null 2>&1 & pid=$!
                    sleep 0.$((RANDOM % 4))$((RANDOM % 10))
                fi
                kill -9 $pid 2>/dev/null || true
                wait $pid 2>/dev/null || true
            }
            control '{"rotation": "overlap"}' >/dev/null
            for round in $(seq \(count)); do
                renewal
                test "$(credkit request $U/data)" = '{"user": "alice"}'
            done
            control '{"rotation": "strict"}' >/dev/null
            for round in $(seq \(count)); do
                renewal
                if [ "$(state "'$(credkit keychain get $U alice --attribute credkit-purpose=session-secret)' in s['valid']")" = True ]; then
                    test "$(credkit request $U/data)" = '{"user": "alice"}'
                else
                    lost=$((lost + 1))
                    control '{"grant": "alice"}' | tr -d '"' >token
                    $L -q --password-file token
                fi
            done
            echo $lost
            """
        )
        let lost = try XCTUnwrap(Int(outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)))
        print("\(lost) of \(count) killed renewals lost a refresh token that the server accepts once")
        XCTAssertLessThan(lost, count)
    }
}
