// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import NIOConcurrencyHelpers
import XCTest

/// Several servers that share their state in one Redis or in one PostgreSQL server.
final class SharedServersTests: XCTestCase {
    private static let isDeep = ProcessInfo.processInfo.environment["CREDKIT_DEEP"] != nil

    /// Servers with users whose password is 123456. Each test has a user of its own.
    private struct Servers {
        let engine: SharedStateServer
        let shell: Shell
        var servers: [ServerProcess]

        /// Runs python with `urls`, a list, and functions that send requests.
        func python(_ script: String) throws -> Shell.Outcome {
            let urls = servers.map { "'\($0.url)'" }.joined(separator: ", ")
            return try shell.run(
                "cat > test.py <<'END'\nurls = [\(urls)]\n\(Servers.client)\n\(script)\nEND\npython3 test.py"
            )
        }

        /// A client of the standard library alone.
        private static let client = """
            import hashlib, hmac, http.client, json, threading, time, urllib.parse

            def send(url, method, path, form=None, token=None):
                connection = http.client.HTTPConnection(urllib.parse.urlparse(url).netloc, timeout=30)
                headers = {'x-auth-token': token} if token else {}
                body = urllib.parse.urlencode(form) if form else None
                if form: headers['Content-Type'] = 'application/x-www-form-urlencoded'
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                text = answer.read().decode()
                connection.close()
                return answer, text

            def code(text): return hmac.new(hashlib.md5(b'x').hexdigest().encode(), text.encode(), 'md5').hexdigest()

            def proof(url, user, password='123456'):
                challenge = json.loads(send(url, 'GET', '/hmackey.php')[1])['key']
                return {'username': user, 'password': code(code(password) + challenge), 'key': challenge}

            def log_in(url, form): return send(url, 'POST', '/loginhmac.php', form)

            def token_of(answer): return answer[0].getheader('x-auth-token')
            """
    }

    /// The servers of the tests that leave them as they were, by the kind of their engine.
    private nonisolated(unsafe) static var shared: [String: Servers] = [:]

    override class func tearDown() {
        for servers in shared.values { servers.shell.remove() }
        shared = [:]
    }

    /// Returns four servers that other tests have used, or start them.
    private func servers(_ kind: String) throws -> Servers {
        if let servers = Self.shared[kind] { return servers }
        let servers = try start(kind, "--quiet --attempts 10")
        Self.shared[kind] = servers
        return servers
    }

    private func start(_ kind: String, _ options: String) throws -> Servers {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            umask 077
            hash=$(printf 123456 | credkit hash legacy timestamp --key-phrase x --password-equivalent)
            printf "%s:$hash\\n" alice bob dave erin > users
            printf 'carol:%s\\n' "$(printf s3cret | credkit hash scram-sha-256 --iterations 4096)" > others
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        var servers = Servers(engine: try SharedStateServer(kind, shell), shell: shell, servers: [])
        servers.servers = try (0..<4).map { _ in
            try ServerProcess(shell, Self.command(servers.engine, options))
        }
        try servers.engine.beginLongAgo()
        return servers
    }

    private static func command(_ engine: SharedStateServer, _ options: String) -> String {
        "credkit-server --mechanism timestamp --key-phrase x --users users --listen 127.0.0.1:0 \(engine.options) "
            + "--processes 4 \(options)"
    }

    /// Copies of one proof at all servers at once: one is accepted.
    func testOneProofCountsOnceAtAllServers() throws {
        try SharedStateServer.kinds.forEach(oneProofCountsOnceAtAllServers)
    }

    private func oneProofCountsOnceAtAllServers(_ kind: String) throws {
        // The address of the copies has used up its attempts afterwards.
        let servers = try start(kind, "--attempts 1000000 --quiet")
        defer { servers.shell.remove() }
        let copies = Self.isDeep ? 10_000 : 400
        let outcome = try servers.python(
            """
            form = proof(urls[0], 'alice')
            accepted, others, lock = [], [], threading.Lock()
            def work(number):
                for _ in range(\(copies) // 16):
                    answer = log_in(urls[number % 4], form)
                    with lock:
                        (accepted if token_of(answer) else others).append(answer[0].status)
            threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            # An engine that is slow for want of a processor is answered with 503. That may be the answer that accepts.
            print(len(accepted) == 1 or not accepted and 503 in others)
            print(set(others) <= {200, 503} and others.count(503) < \(copies) // 4)
            """
        )
        XCTAssertEqual(outcome.text, "True\nTrue\n", outcome.errors)
    }

    /// A session of one server is one of all, and ends at all of them with the next request.
    func testSessionsAreSeenByAllServers() throws {
        try SharedStateServer.kinds.forEach(sessionsAreSeenByAllServers)
    }

    private func sessionsAreSeenByAllServers(_ kind: String) throws {
        let outcome = try servers(kind).python(
            """
            for number in range(4):
                token = token_of(log_in(urls[number], proof(urls[(number + 1) % 4], 'alice')))
                def seen(): return [send(url, 'GET', '/auth/session', token=token)[0].status for url in urls]
                before = seen()
                send(urls[(number + 2) % 4], 'POST', '/logout.php', token=token)
                print(before, seen())
            """
        )
        XCTAssertEqual(
            outcome.text,
            String(repeating: "[200, 200, 200, 200] [401, 401, 401, 401]\n", count: 4),
            outcome.errors
        )
    }

    /// The servers count attempts together: as many as one server grants.
    func testAttemptsAreCountedTogether() throws {
        try SharedStateServer.kinds.forEach(attemptsAreCountedTogether)
    }

    private func attemptsAreCountedTogether(_ kind: String) throws {
        let outcome = try servers(kind).python(
            """
            form = {'username': 'bob', 'password': '0' * 32, 'key': 'x'}
            statuses = [log_in(urls[number % 4], form)[0].status for number in range(40)]
            print(statuses.count(200), statuses.count(429))
            """
        )
        XCTAssertEqual(outcome.text, "10 30\n", outcome.errors)
    }

    /// The guesses of one-time codes: as many as one server grants, also after restarts.
    func testGuessesOfCodesAreCountedTogether() throws {
        try SharedStateServer.kinds.forEach(guessesOfCodesAreCountedTogether)
    }

    private func guessesOfCodesAreCountedTogether(_ kind: String) throws {
        var servers = try servers(kind)
        let made = try servers.shell.run(
            "printf 'alice:otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\\n' > codes; chmod 600 codes"
        )
        XCTAssertEqual(made.status, 0, made.errors)
        var judged = 0
        for round in 0..<3 {
            servers.servers = try (0..<2).map { _ in
                try ServerProcess(
                    servers.shell,
                    Self.command(servers.engine, "--quiet --otp-file codes --attempts 1000000")
                )
            }
            let outcome = try servers.python(
                """
                statuses = []
                for number in range(16):
                    form = dict(proof(urls[number % 2], 'alice'), otp='000000')
                    statuses.append(log_in(urls[(number + 1) % 2], form)[0].status)
                print(statuses.count(429))
                """
            )
            judged += 16 - (Int(outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0)
            XCTAssertEqual(judged, 10, "round \(round): \(outcome.text) \(outcome.errors)")
        }
    }

    /// A Redis that hangs: logins and sessions are unavailable in time, and no one is logged out; then all works again.
    func testAnOutageIsAnsweredInTimeAndEnds() throws {
        try SharedStateServer.kinds.forEach(anOutageIsAnsweredInTimeAndEnds)
    }

    private func anOutageIsAnsweredInTimeAndEnds(_ kind: String) throws {
        let servers = try servers(kind)
        let outcome = try servers.python(
            """
            import os, signal
            token = token_of(log_in(urls[0], proof(urls[0], 'dave')))
            form = proof(urls[0], 'dave')
            stopped = \(servers.engine.processes)
            for process in stopped: os.kill(process, signal.SIGSTOP)
            def timed(call):
                start = time.monotonic()
                answer = call()[0]
                return answer.status, answer.getheader('Retry-After') is not None, time.monotonic() - start < 1
            print(timed(lambda: log_in(urls[0], form)))
            print(timed(lambda: send(urls[1], 'GET', '/auth/session', token=token)))
            while send(urls[0], 'GET', '/health/ready')[0].status != 503: pass
            for process in stopped: os.kill(process, signal.SIGCONT)
            end = time.monotonic() + 10
            def works():
                return send(urls[1], 'GET', '/auth/session', token=token)[0].status
            start, statuses = time.monotonic(), set()
            while works() != 200 and time.monotonic() < end: pass
            print(works(), time.monotonic() - start < 5)
            while send(urls[0], 'GET', '/health/ready')[0].status != 200 and time.monotonic() < end: pass
            print(token_of(log_in(urls[0], proof(urls[0], 'dave'))) is not None)
            """
        )
        XCTAssertEqual(
            outcome.text,
            "(503, True, True)\n(503, True, True)\n200 True\nTrue\n",
            outcome.errors
        )
    }

    /// SCRAM begins at one server and ends at another.
    func testLoginsBySCRAMMayReachDifferentServers() throws {
        try SharedStateServer.kinds.forEach(loginsBySCRAMMayReachDifferentServers)
    }

    private func loginsBySCRAMMayReachDifferentServers(_ kind: String) throws {
        var both = try servers(kind)
        both.servers = try (0..<2).map { _ in
            // Of two options --users, the last counts.
            try ServerProcess(
                both.shell,
                Self.command(both.engine, "--quiet --mechanism scram --users others")
            )
        }
        let result = try both.python(
            """
            import base64, os
            def encode(data): return base64.b64encode(data).decode()
            def go(url, **attributes):
                connection = http.client.HTTPConnection(urllib.parse.urlparse(url).netloc, timeout=30)
                text = ', '.join(f'{name}="{value}"' for name, value in attributes.items())
                connection.request('POST', '/scram', '', {'Authorization': f'SCRAM-SHA-256 {text}',
                    'Content-Type': 'application/x-www-form-urlencoded'})
                answer = connection.getresponse()
                answer.read()
                return answer
            def fields(header): return dict(part.strip().split('=', 1) for part in header.split(' ', 1)[1].split(','))
            def attempt(first, second):
                bare = 'n=carol,r=' + encode(os.urandom(18)).replace('=', '')
                answer = go(urls[first], data=encode(('n,,' + bare).encode()))
                found = fields(answer.getheader('WWW-Authenticate'))
                server_first = base64.b64decode(found['data'].strip('"')).decode()
                parts = dict(part.split('=', 1) for part in server_first.split(','))
                salted = hashlib.pbkdf2_hmac('sha256', b's3cret', base64.b64decode(parts['s']), int(parts['i']))
                key = hmac.new(salted, b'Client Key', 'sha256').digest()
                bare_final = 'c=biws,r=' + parts['r']
                message = ','.join([bare, server_first, bare_final]).encode()
                signature = hmac.new(hashlib.sha256(key).digest(), message, 'sha256').digest()
                final = bare_final + ',p=' + encode(bytes(a ^ b for a, b in zip(key, signature)))
                form = dict(sid=found['sid'].strip('"'), data=encode(final.encode()))
                return [go(urls[number], **form).status for number in (second, first)]
            print(attempt(0, 1), attempt(1, 0))
            """
        )
        XCTAssertEqual(result.text, "[200, 401] [200, 401]\n", result.errors)
    }

    /// A server ends although its engine never answers.
    func testEngineThatDoesNotAnswerDoesNotKeepTheServer() throws {
        try SharedStateServer.kinds.forEach(engineThatDoesNotAnswerDoesNotKeepTheServer)
    }

    private func engineThatDoesNotAnswerDoesNotKeepTheServer(_ kind: String) throws {
        var servers = try servers(kind)
        servers.servers = [try ServerProcess(servers.shell, Self.command(servers.engine, "--quiet"))]
        let outcome = try servers.python(
            """
            import os, select, signal
            token = token_of(log_in(urls[0], proof(urls[0], 'erin')))
            for process in \(servers.engine.processes): os.kill(process, signal.SIGSTOP)
            server = \(servers.servers[0].processIdentifier)
            end = os.pidfd_open(server)
            os.kill(server, signal.SIGTERM)
            # As long as the documented TimeoutStopSec of its unit.
            ended = select.select([end], [], [], 15)[0] != []
            for process in \(servers.engine.processes): os.kill(process, signal.SIGCONT)
            print(token is not None, ended)
            """
        )
        XCTAssertEqual(outcome.text, "True True\n", outcome.errors)
        XCTAssertEqual(servers.servers[0].stop(), 0)
    }

    /// A Redis that can lose what must be kept, and a wrong clock, are refused before the first login.
    func testUnsuitableStateIsRefusedAtTheStart() throws {
        let redis = try RedisServer(["maxmemory-policy allkeys-lru"])
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let options =
            "--key-phrase x --users users --state redis://127.0.0.1:\(redis.port) --state-key-file state-key"
        func run(_ before: String, _ command: String = "credkit-server --listen 127.0.0.1:0") throws
            -> Shell.Outcome
        {
            try shell.run("umask 077; printf 'alice:%032d\\n' 0 > users; \(before)\n\(command) \(options)")
        }
        let short = try run("printf short > state-key")
        XCTAssertEqual(short.status, 65)
        XCTAssertTrue(short.errors.contains("a key has from 32 to 65536 random bytes"), short.errors)
        let evicting = try run("head -c 32 /dev/urandom > state-key")
        XCTAssertEqual(evicting.status, 69)
        XCTAssertTrue(evicting.errors.contains("set maxmemory-policy noeviction"), evicting.errors)
        let checked = try run("", "credkit-server check --listen 127.0.0.1:0")
        XCTAssertEqual(checked.status, 69)
        XCTAssertTrue(checked.errors.contains("set maxmemory-policy noeviction"), checked.errors)
        try redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        let good = try run("", "credkit-server check --listen 127.0.0.1:0")
        XCTAssertEqual(good.text, "ok: 1 users, Redis can keep the shared state\n", good.errors)
        if FileManager.default.isExecutableFile(atPath: "/usr/bin/faketime") {
            for offset in ["+1h", "-1h"] {
                let wrong = try run("", "faketime -f \(offset) credkit-server --listen 127.0.0.1:0")
                XCTAssertEqual(wrong.status, 69, offset)
                XCTAssertTrue(wrong.errors.contains("synchronize the clocks"), wrong.errors)
            }
        }
        redis.kill()
        let gone = try run("")
        XCTAssertEqual(gone.status, 69)
        XCTAssertTrue(gone.errors.contains("cannot connect to Redis"), gone.errors)
    }
}
