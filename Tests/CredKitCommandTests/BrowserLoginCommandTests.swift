// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Logins in a browser from the shell that wait for it, at servers that are not asked.
final class BrowserLoginCommandTests: ShellTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        // back prints the redirect URL of the login; get URL prints the status of the page there, and curl's own.
        prefix = """
            cat >profile.json <<'END'
            {"scheme": "oauth", "clientID": "desktop", "tokenPath": "/token",
             "authorizationURL": "https://login.school.example/authorize"}
            END
            L="env --default-signal=INT credkit login http://127.0.0.1:1 --user alice --profile profile.json"
            L="$L --no-launch-browser"
            back() {
                until grep -q code_challenge errors; do kill -0 $pid || return; done
                python3 -c 'import re, urllib.parse as u
            print(u.unquote(re.search("redirect_uri=([^&]*)", open("errors").read())[1]))'
            }
            get() { curl -gs --noproxy '*' --max-time 60 -o page -w '%{http_code} ' "$1"; echo $?; }

            """
    }

    /// The port is closed, and nothing is left of the login, not even the key that its tokens would have been bound to.
    func testCtrlCEndsTheLogin() throws {
        let outcome = try run(
            """
            for mode in "" "--dpop required"; do
                $L $mode 2>errors & pid=$!
                BACK=$(back)
                get "$BACK?code=a&state=b"
                kill -INT $pid
                wait $pid; echo $?
                get "$BACK"
                rm errors
            done
            credkit sessions; credkit keychain list
            """
        )
        let each = "400 0\n130\n000 7\n"
        XCTAssertEqual(outcome.text, each + each)
    }

    /// Runs a script on a network of its own, which has a loopback device and nothing else.
    private func isolated(_ setUp: String, _ script: String) throws -> Shell.Outcome {
        guard try shell.run("unshare -n ip link set lo up").status == 0 else {
            throw XCTSkip("needs root, unshare and ip")
        }
        try (prefix + script).write(
            to: shell.folder.appendingPathComponent("script"),
            atomically: true,
            encoding: .utf8
        )
        return try run("unshare -n bash -c 'ip link set lo up; \(setUp); bash script'")
    }

    func testComputerWithoutIPv4() throws {
        let outcome = try isolated(
            "ip address delete 127.0.0.1/8 dev lo; ip address add fd00::1/128 dev lo",
            """
            $L 2>errors & pid=$!
            BACK=$(back)
            echo "$BACK" | tr -d 0-9
            get "$BACK?code=a&state=b"
            # No other address of the computer leads to it.
            get "${BACK/::1/fd00::1}"
            kill -INT $pid; wait $pid
            # A registered port has an address as well.
            $L --redirect-uri http://127.0.0.1:8400/callback 2>errors; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "http://[::]:/callback\n400 0\n000 7\n69\n")
    }

    /// A browser may look for `localhost` at either address, and another user's program may have the port at one of them.
    func testPortThatIsTakenAtOneAddress() throws {
        let outcome = try isolated(
            "sysctl -q net.ipv4.ip_local_port_range=\"40000 40007\"",
            """
            python3 -c 'import signal, socket
            held = socket.create_server(("::1", 40001), family=socket.AF_INET6)
            print(flush=True)
            signal.pause()' >started & holder=$!
            until [ -s started ]; do :; done
            for round in 1 2 3 4 5 6 7 8; do
                $L --redirect-uri http://localhost/callback 2>errors & pid=$!
                BACK=$(back)
                case $BACK in *:40001/*|"") echo taken;; esac
                kill -INT $pid; wait $pid
                rm errors
            done
            $L --redirect-uri http://localhost:40001/callback 2>errors; echo $?
            kill $holder
            """
        )
        XCTAssertEqual(outcome.text, "69\n")
    }

    func testComputerWithoutIPv6() throws {
        let outcome = try isolated(
            "ip address delete ::1/128 dev lo",
            """
            for host in 127.0.0.1 localhost; do
                $L --redirect-uri http://$host/callback 2>errors & pid=$!
                BACK=$(back)
                echo "$BACK" | tr -d 0-9
                get "$BACK?code=a&state=b"
                kill -INT $pid; wait $pid
                rm errors
            done
            """
        )
        XCTAssertEqual(
            outcome.text,
            "http://...:/callback\n400 0\nhttp://localhost:/callback\n400 0\n"
        )
    }
}
