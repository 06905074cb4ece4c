// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import XCTest

/// Logins whose clients do not wait for the answer, directly and through nginx, beside clients that do.
final class DeadLoginTests: XCTestCase {
    /// Sends logins of 1,000 users with the dearest hash, and closes each connection at once, while others log in from another
    /// address. Then compares what the server has computed after that with one computation.
    private static let attack = """
        python3 - <<'END'
        import http.client, json, os, pathlib, re, socket, sys, threading, time
        from urllib.parse import urlencode
        import urllib.request
        pid, direct, proxied = int(os.environ["server"]), int(os.environ["direct"].split(":")[-1]), os.environ["port"]
        isProxied = os.environ["way"] == "proxied"
        port = int(proxied) if isProxied else direct
        cores = os.sysconf("SC_NPROCESSORS_ONLN")
        def processorTime():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        def inFlight():
            text = urllib.request.urlopen(f"http://127.0.0.1:{os.environ['metrics']}/metrics").read().decode()
            return float(re.search("^credkit_http_requests_in_flight (.*)$", text, re.MULTILINE)[1])
        def answered():
            return [line for line in pathlib.Path("log").read_text().splitlines() if "login.php" in line]
        def logIn(name, password="123456"):
            # Through nginx, the header names the client; directly, its address on this machine does.
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=("127.0.0.2", 0))
            headers = {"X-Client": "198.51.100.7", "Content-Type": "application/x-www-form-urlencoded"}
            start = time.monotonic()
            connection.request("POST", "/login.php", urlencode({"username": name, "password": password}), headers)
            answer = connection.getresponse()
            body = json.loads(answer.read())
            connection.close()
            return answer.status, body["userId"] > 0, answer.headers["Retry-After"], time.monotonic() - start
        before = processorTime()
        assert logIn("dear")[:2] == (200, True)
        cost = processorTime() - before
        assert logIn("cheap")[:2] == (200, True)
        honest, isOver = [], threading.Event()
        def logInAgainAndAgain(name):
            while not isOver.is_set(): honest.append((name, *logIn(name)))
        others = [threading.Thread(target=logInAgainAndAgain, args=[name]) for name in ("dear", "cheap")]
        for other in others: other.start()
        for begin in range(0, 1000, 50):
            attackers = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(50)]
            for number, attacker in enumerate(attackers, begin):
                body = urlencode({"username": f"user{number}", "password": "123456"})
                attacker.sendall(f"POST /login.php HTTP/1.1\\r\\nHost: x\\r\\nX-Client: 6.6.6.6\\r\\n"
                    f"Content-Type: application/x-www-form-urlencoded\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
            # nginx drops a request whose client has gone before it was passed on. When this one is answered, they have been.
            urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
            for attacker in attackers: attacker.close()
        before = processorTime()
        isOver.set()
        for other in others: other.join()
        while inFlight() > 0: pass
        computed = processorTime() - before
        if not computed <= 2 * cores * cost:
            print(f"{computed} s of processor time after the last socket closed, {cost} s for one computation")
        for name, status, isRight, wait, seconds in honest:
            if status == 200 and not isRight or status not in (200, 503) or status == 503 and not int(wait) > 0:
                print(f"{name}: status {status}, right {isRight}, Retry-After {wait}")
        statuses = [re.findall("\\d+", line)[-1] for line in answered()]
        if "499" not in statuses: print("no client has gone")
        print(f"one computation {cost:.2f} s, afterwards {computed:.2f} s; honest logins "
            f"{[(name, status, round(seconds, 2)) for name, status, _, _, seconds in honest]}; "
            f"statuses { {status: statuses.count(status) for status in set(statuses)} }", file=sys.stderr)
        END
        """

    private func assertDeadLoginsAreNotComputed(way: String) throws {
        let metrics = try FreePort().number
        let outcome = try ProxiedServer.run(
            "--mechanism form --trusted-proxy 127.0.0.1 --attempts 1000 --metrics 127.0.0.1:\(metrics)",
            users: """
                python3 - > users <<'END'
                import base64, hashlib
                def record(iterations):
                    digest = hashlib.pbkdf2_hmac("sha256", b"123456", b"salt", iterations)
                    return f"pbkdf2_sha256${iterations}$salt${base64.b64encode(digest).decode()}"
                dear = record(1000000)
                for name in ["dear"] + [f"user{n}" for n in range(1000)]: print(f"{name}:{dear}")
                print(f"cheap:{record(1000)}")
                END
                """,
            header: "proxy_set_header X-Forwarded-For \\$http_x_client;",
            "export server direct port way=\(way) metrics=\(metrics)\n" + Self.attack
        )
        XCTAssertEqual(outcome.text, "")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    func testDeadLoginsAreNotComputed() throws { try assertDeadLoginsAreNotComputed(way: "direct") }

    func testDeadLoginsBehindAProxyAreNotComputed() throws {
        try assertDeadLoginsAreNotComputed(way: "proxied")
    }
}
