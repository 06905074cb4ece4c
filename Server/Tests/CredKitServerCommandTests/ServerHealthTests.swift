// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
@testable import CredKitServerCommand
import Foundation
import NIOConcurrencyHelpers
import XCTest

/// The endpoints of the health, and the end of the server on a signal.
final class ServerHealthTests: XCTestCase {
    private struct Failure: Error {}

    func testServerIsReadyWhileItServesAndItsChecksPass() async {
        let state = NIOLockedValueBox(true)
        let check = ReadinessCheck("the store") { if !state.withLockedValue({ $0 }) { throw Failure() } }
        let health = ServerHealth(checks: [ReadinessCheck("passes") {}, check], lifetime: .zero)
        var status = await health.status()
        XCTAssertEqual(status, .init(phase: .starting, failed: []))
        XCTAssertFalse(status.isReady)
        health.begin(.serving)
        status = await health.status()
        XCTAssertTrue(status.isReady)
        state.withLockedValue { $0 = false }
        status = await health.status()
        XCTAssertEqual(status, .init(phase: .serving, failed: ["the store"]))
        state.withLockedValue { $0 = true }
        status = await health.status()
        XCTAssertTrue(status.isReady)
        health.begin(.draining)
        health.begin(.serving)
        status = await health.status()
        XCTAssertEqual(status, .init(phase: .draining, failed: []))
    }

    func testCheckThatHangsFails() async {
        // This one ignores its cancellation.
        let stuck = ReadinessCheck("stuck") {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + 30) { continuation.resume() }
            }
        }
        let health = ServerHealth(checks: [stuck, ReadinessCheck("passes") {}], timeout: .seconds(2))
        health.begin(.serving)
        let start = ContinuousClock.now
        let status = await health.status()
        XCTAssertEqual(status.failed, ["stuck"])
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
    }

    func testManyProbesRunACheckOnce() async {
        let runs = NIOLockedValueBox(0)
        let health = ServerHealth(
            checks: [ReadinessCheck("counted") { runs.withLockedValue { $0 += 1 } }],
            lifetime: .seconds(3600)
        )
        health.begin(.serving)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await health.status().isReady } }
            for await isReady in group { XCTAssertTrue(isReady) }
        }
        XCTAssertEqual(runs.withLockedValue { $0 }, 1)
    }

    /// Runs a script with the server in `$server`, at `$url`, with its metrics at `$metrics`.
    private func run(_ options: String, _ script: String) throws -> Shell.Outcome {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        return try shell.run(
            """
            printf 'alice:%s\\n' "$(printf 123456 | credkit hash legacy timestamp --key-phrase x --password-equivalent)" > users
            credkit-server --key-phrase x --users users --listen 127.0.0.1:0 --metrics 127.0.0.1:0 \(options) \\
                > address 2> errors & server=$!
            trap 'kill -9 $server 2> /dev/null' EXIT
            for i in {1..600}; do [ -s address ] && grep -q metrics errors || sleep 0.1; done
            url=$(cut -d' ' -f3 address) metrics=$(sed -n 's/.*metrics at \\(.*\\)\\/metrics/\\1/p' errors)
            \(script)
            """
        )
    }

    func testHealthIsAnsweredAndNeitherLoggedNorLimited() throws {
        let outcome = try run(
            "--attempts 1",
            """
            for base in $url $metrics; do
                for path in live ready; do curl -s $base/health/$path; done
                curl -s -o /dev/null -w '%{http_code}\\n' -X POST $base/health/ready
                curl -sI -o /dev/null -w '%{http_code}\\n' $base/health/live
            done
            # More than the 600 requests a minute of one client.
            curl -s -o /dev/null -w '%{http_code}\\n' "$url/health/ready?n=[1-700]" | sort | uniq -c | tr -s ' '
            curl -s -o /dev/null $url/none
            kill $server; wait $server; echo $?
            grep -v 'metrics at' errors
            """
        )
        let answers = "{\"status\":\"live\"}\n{\"status\":\"ready\"}\n405\n200\n"
        XCTAssertEqual(
            outcome.text,
            "\(answers)\(answers) 700 200\n0\n127.0.0.1 GET /none 404\n",
            outcome.errors
        )
    }

    func testRunningRequestIsCompletedAfterASignal() throws {
        let outcome = try run(
            "",
            """
            python3 - $server $url $metrics <<'END'
            import http.client, os, signal, socket, sys, time
            from urllib.request import urlopen
            from urllib.error import HTTPError
            server, port = int(sys.argv[1]), int(sys.argv[2].split(":")[-1])
            idle = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            idle.request("GET", "/health/live"); idle.getresponse().read()
            slow = socket.create_connection(("127.0.0.1", port), timeout=30)
            body = b"username=alice&password=123456"
            slow.sendall(b"POST /login.php HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body[:9])
            # The server reads the head before it gets the signal.
            text = "credkit_http_requests_in_flight 1"
            while text not in urlopen(sys.argv[3] + "/metrics").read().decode(): time.sleep(0.05)
            os.kill(server, signal.SIGTERM)
            def refuses():
                try: socket.create_connection(("127.0.0.1", port)).close(); return False
                except ConnectionRefusedError: return True
            while not refuses(): time.sleep(0.05)
            print("idle closed", idle.sock.recv(100) == b"")
            try: urlopen(sys.argv[3] + "/health/ready")
            except HTTPError as error: print(error.code, error.read())
            print("live", urlopen(sys.argv[3] + "/health/live").status)
            slow.sendall(body[9:])
            answer = b""
            while part := slow.recv(65536): answer += part
            print(answer.split(b"\\r\\n")[0], b"Connection: close" in answer, b'"userId":1' in answer)
            END
            wait $server; echo $?
            """
        )
        XCTAssertEqual(
            outcome.text,
            """
            idle closed True
            503 b'{"status":"draining"}\\n'
            live 200
            b'HTTP/1.1 200 OK' True True
            0

            """,
            outcome.errors
        )
    }

    func testRequestsAreAcceptedInTheDelayOfADrain() throws {
        let outcome = try run(
            "--drain-delay 300",
            """
            curl -s -o /dev/null $url/; kill $server
            until [ "$(curl -s $url/health/ready)" = '{"status":"draining"}' ]; do sleep 0.05; done
            curl -s -i -d 'username=alice&password=123456' $url/login.php | tr -d '\\r' |
                grep -E '^HTTP|^Connection|userId'
            """
        )
        XCTAssertEqual(
            outcome.text,
            "HTTP/1.1 200 OK\nConnection: close\n{\"userId\":1,\"userName\":\"alice\"}\n",
            outcome.errors
        )
    }

    func testServiceManagerIsNotified() throws {
        let outcome = try run(
            "",
            """
            python3 - <<'END'
            import os, signal, socket, subprocess
            for name in ("notify", "\\0credkit-%d" % os.getpid()):
                manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); manager.bind(name); manager.settimeout(60)
                path = os.path.abspath(name) if name == "notify" else "@" + name[1:]
                server = subprocess.Popen("credkit-server --key-phrase x --users users --listen 127.0.0.1:0".split(),
                                          env=os.environ | {"NOTIFY_SOCKET": path}, stdout=subprocess.DEVNULL)
                try:
                    print(manager.recv(100))
                    server.send_signal(signal.SIGTERM)
                    print(manager.recv(100), server.wait(60))
                finally: server.kill()
            END
            """
        )
        let seen = "b'READY=1'\nb'STOPPING=1' 0\n"
        XCTAssertEqual(outcome.text, seen + seen, outcome.errors)
    }
}
