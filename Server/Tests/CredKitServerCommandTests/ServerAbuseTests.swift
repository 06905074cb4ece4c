// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Attacks on `credkit-server`, with requests written byte by byte.
final class ServerAbuseTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            record=$(printf s3cret | credkit hash legacy timestamp --key-phrase itheima --password-equivalent)
            printf 'Kevin:%s\\nZo\\xc3\\xab:%s\\n' $record $record > users
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    private func serve(_ options: String = "") throws -> ServerProcess {
        try ServerProcess(
            shell,
            """
            credkit-server --mechanism timestamp --mechanism form --key-phrase itheima --users users \
                --listen 127.0.0.1:0 \(options)
            """
        )
    }

    /// Returns the output of a Python script that knows the server's address as `url` and its port as `port`.
    private func python(_ server: ServerProcess, _ script: String) throws -> String {
        let outcome = try shell.run(
            """
            python3 - <<'END'
            import socket, time
            from concurrent.futures import ThreadPoolExecutor
            from urllib.parse import urlencode
            from urllib.request import urlopen
            from urllib.error import HTTPError
            url = "\(server.url)"; port = int(url.split(":")[-1])
            \(script)
            END
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return outcome.text
    }

    func testSpellingsOfANameShareTheAttemptsOfTheirUser() throws {
        // Swift compares these strings as equal, but their bytes differ.
        XCTAssertEqual("Kevin", "\u{212A}evin")
        let seen = try python(
            serve("--attempts 2"),
            """
            def log_in(name, password):
                try:
                    body = urlencode({"username": name, "password": password}).encode()
                    with urlopen(url + "/login.php", body) as answer: return answer.read()[-4:-2] != b"-1"
                except HTTPError as error: return error.code
            print([log_in(name, "wrong") for name in ("Kevin", "Kevin", "Kevin", "Zo\\u00eb", "Zo\\u00eb")])
            print([log_in(name, "s3cret") for name in ("\\u212aevin", "Zoe\\u0308")])
            """
        )
        XCTAssertEqual(seen, "[False, False, 429, False, False]\n[False, False]\n")
    }

    /// Clients that send requests without a pause, and read the answers, must not keep the server from its other connections.
    func testPipelinesDoNotKeepOthersWaiting() throws {
        let seen = try python(
            serve(),
            """
            import select, threading
            flood = b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" * 1000
            ready, ended = threading.Semaphore(0), threading.Event()
            def pipeline(_):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    connection.setblocking(False); rest, isFirst = b"", True
                    while not ended.is_set():
                        rest = rest or flood
                        readable, writable, _ = select.select([connection], [connection], [], 1)
                        try:
                            if writable: rest = rest[connection.send(rest):]
                            if readable and not connection.recv(1 << 20): return
                        except BlockingIOError: pass
                        except ConnectionError: return
                        if readable and isFirst: ready.release(); isFirst = False
            threads = [threading.Thread(target=pipeline, args=(i,)) for i in range(6)]
            for thread in threads: thread.start()
            for thread in threads: ready.acquire()
            body = urlencode({"username": "Kevin", "password": "s3cret"}).encode()
            longest = 0
            for _ in range(5):
                start = time.monotonic()
                with urlopen(url + "/login.php", body, timeout=60) as answer: print(answer.status)
                longest = max(longest, time.monotonic() - start)
            ended.set()
            for thread in threads: thread.join()
            # Before, each of them waited until the last flood had ended.
            print("in time" if longest < 5 else longest)
            """
        )
        XCTAssertEqual(seen, String(repeating: "200\n", count: 5) + "in time\n")
    }

    func testHEADIsAnsweredWithoutABody() throws {
        let seen = try python(
            serve(),
            """
            for path in ("/", "/loginhmac.php", "/auth/session", "/none"):
                connection = socket.create_connection(("127.0.0.1", port), timeout=30)
                connection.sendall(f"HEAD {path} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".encode())
                connection.sendall(b"GET /auth/session HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                received = b""
                while b"log in first" not in received: received += connection.recv(65536)
                head, rest = received.split(b"\\r\\n\\r\\n", 1)
                print(head.split()[1], b"Content-Length" in head, rest.split(b"\\r\\n")[0])
            """
        )
        let next = "b'HTTP/1.1 401 Unauthorized'"
        XCTAssertEqual(
            seen,
            "b'405' True \(next)\nb'405' True \(next)\nb'405' True \(next)\nb'404' True \(next)\n"
        )
    }

    func testUnreadLogOutputDoesNotBlockTheServer() throws {
        let outcome = try shell.run(
            """
            python3 - <<'END'
            import http.client, subprocess
            server = subprocess.Popen("credkit-server --key-phrase itheima --users users --listen 127.0.0.1:0".split(),
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                port = int(server.stdout.readline().split(b":")[-1])
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                for _ in range(1000):
                    connection.request("GET", "/" + "%" * 200)
                    connection.getresponse().read()
                server.terminate()
                print(server.wait(30), len(server.stderr.read()) > 10000)
            finally: server.kill()
            END
            """
        )
        XCTAssertEqual(outcome.text, "0 True\n", outcome.errors)
    }

    /// Each part of a body, and each cookie, takes the event loop as long as a short request.
    func testBodiesInManyPartsAreRefused() throws {
        let seen = try python(
            serve(),
            """
            def ask(text):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    connection.sendall(text.encode())
                    answer = b""
                    while b"\\r\\n\\r\\n" not in answer: answer += connection.recv(65536)
                    return answer.split()[1].decode(), b"parts" in answer + connection.recv(65536)
            def form(count):
                parts = "".join("1\\r\\n" + letter + "\\r\\n" for letter in "username=Kevin&password=" + "x" * (count - 24))
                return ("POST /login.php HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
                        + parts + "0\\r\\n\\r\\n")
            print(ask(form(256)), ask(form(257)))
            cookies = "a=;" * 4000
            for name in "session", "sessio", "session2":
                print(ask("GET /auth/session HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\nCookie: "
                          + cookies + " " + name + "=" + "A" * 43 + "\\r\\n\\r\\n")[0])
            """
        )
        XCTAssertEqual(seen, "('200', False) ('400', True)\n401\n401\n401\n")
    }

    /// Empty fields cost the most: a form of 16 KiB has room for 8,000.
    func testFormsOfManyFieldsAreRefused() throws {
        let seen = try python(
            serve(),
            """
            def ask(form):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    connection.sendall(("POST /login.php HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\nContent-Length: "
                                        + str(len(form)) + "\\r\\n\\r\\n" + form).encode())
                    return connection.recv(65536).split()[1].decode()
            login = "username=Kevin&pass%77ord=" + "x" * 8
            for form in "a=b&" * 30 + login, "a=b&" * 31 + login, "=&" * 8000 + login, "&" * 8000 + login, "=&%&%4&" + login:
                print(ask(form))
            """
        )
        XCTAssertEqual(seen, "200\n400\n400\n200\n200\n")
    }

    func testHostMustBeStatedOnce() throws {
        let seen = try python(
            serve(),
            """
            for hosts in ("", "Host: x\\r\\nHost: x\\r\\n", "Host: x\\r\\nHost: y\\r\\n", "Host: x\\r\\n"):
                connection = socket.create_connection(("127.0.0.1", port), timeout=60)
                connection.sendall(f"GET / HTTP/1.1\\r\\n{hosts}\\r\\n".encode())
                print(connection.recv(65536)[9:12])
            # Probes of load balancers have none.
            connection = socket.create_connection(("127.0.0.1", port), timeout=60)
            connection.sendall(b"GET /health/live HTTP/1.0\\r\\n\\r\\n")
            print(connection.recv(65536)[9:12])
            """
        )
        XCTAssertEqual(seen, "b'400'\nb'400'\nb'400'\nb'200'\nb'200'\n")
    }

    func testIdleConnectionsKeepNobodyOut() throws {
        let seen = try python(
            serve(),
            """
            import resource, select
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
            def connect(host):
                return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(host, 0))
            def ask(connection):
                connection.sendall(b"GET /auth/session HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                return connection.recv(65536)[9:12]
            def left(connections, count):
                # A connection that sends something has been closed.
                poll = select.poll()
                for connection in connections: poll.register(connection, select.POLLIN)
                closed = set()
                while len(connections) - len(closed) > count:
                    for descriptor, _ in poll.poll():
                        closed.add(descriptor)
                        poll.unregister(descriptor)
                return [connection for connection in connections if connection.fileno() not in closed]
            # One address keeps 128, the newest; others do not notice.
            kept = connect("127.0.0.9")
            print(ask(kept))
            idle = [connect("127.0.0.2") for _ in range(300)]
            idle = left(idle, 128)
            print({ask(connection) for connection in idle}, ask(kept), ask(connect("127.0.0.2")))
            # All addresses together keep 512.
            many = left([kept] + idle + [connect(f"127.0.1.{n % 100}") for n in range(1000)], 512)
            print({ask(connection) for connection in many}, ask(connect("127.0.0.9")))
            """
        )
        XCTAssertEqual(seen, "b'401'\n{b'401'} b'401' b'401'\n{b'401'} b'401'\n")
    }

    /// A client that owes the rest of its request is idle, whatever the server has begun with.
    func testRequestsThatNeverEndKeepNobodyOut() throws {
        let seen = try python(
            serve(),
            """
            import resource
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
            def connect(host):
                return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(host, 0))
            slow = [connect(f"127.0.0.{2 + n % 4}") for n in range(512)]
            for connection in slow:
                connection.sendall(b"POST /login.php HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 30\\r\\n"
                    b"Content-Type: application/x-www-form-urlencoded\\r\\n\\r\\n")
            for n in range(20):
                connection = connect(f"127.0.1.{n}")
                connection.sendall(b"GET /auth/session HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                print(connection.recv(65536)[9:12].decode(), end=" ")
            """
        )
        XCTAssertEqual(seen, String(repeating: "401 ", count: 20))
    }

    func testUnexpectedBodyDoesNotHoldTheConnection() throws {
        let seen = try python(
            serve(),
            """
            def see(head):
                # A client that stalls while the server answers and closes finds the connection reset, and no answer.
                for _ in range(2):
                    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
                    connection.sendall(f"{head}\\r\\nHost: x\\r\\n\\r\\n".encode())
                    received, start, isOpen = b"", time.monotonic(), True
                    while isOpen and time.monotonic() < start + 30:
                        try:
                            connection.sendall(b"1\\r\\na\\r\\n")
                            part = connection.recv(65536)
                            isOpen = part != b""
                            received += part
                        except TimeoutError: break
                        except OSError: isOpen = False
                    if received or isOpen: break
                return received[9:12], b"Connection: close" in received, isOpen
            with ThreadPoolExecutor() as pool:
                for seen in pool.map(see, [
                    "GET / HTTP/1.1\\r\\nTransfer-Encoding: chunked", "POST /none HTTP/1.1\\r\\nContent-Length: 999",
                    "POST /logout.php HTTP/1.1\\r\\nContent-Length: 999",
                    "POST /login.php HTTP/1.1\\r\\nContent-Length: 999\\r\\nContent-Type: text/plain",
                ]): print(*seen)
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection.sendall(b"POST /logout.php HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\n\\r\\n")
            print(b"Connection: close" in connection.recv(65536))
            """
        )
        XCTAssertEqual(
            seen,
            """
            b'200' True False
            b'404' True False
            b'200' True False
            b'415' True False
            False

            """
        )
    }
}
