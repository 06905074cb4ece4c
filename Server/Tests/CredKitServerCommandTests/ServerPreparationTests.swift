// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// What the start refuses, and `credkit-server check` with the same options.
@Suite struct ServerPreparationTests {
    private static func shell() throws -> Shell {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            umask 077; set -e
            printf 'alice:$1$abc$iCQ2D3nhptRYi27fDYv2s1\\n' > users
            printf 'carol:%s\\n' "$(printf 123456 | credkit hash scram-sha-256 --iterations 4096)" > verifiers
            printf 'alice\\n' > damaged; printf 'nemo:x\\n' > codes; echo short > short; echo key > mocks
            head -c 32 /dev/urandom > state-key; printf 'users users\\nattempts none\\n' > conf; printf 'users\\n' > novalue
            openssl req -x509 -newkey ed25519 -nodes -days 90 -subj /CN=localhost -keyout ed-key.pem -out ed.pem 2> /dev/null
            openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=localhost -keyout key.pem -out certificate.pem 2> /dev/null
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return shell
    }

    private func compare(_ shell: Shell, _ options: String, _ status: Int32, _ reason: String) throws {
        let address = options.contains("--listen") ? "" : "--listen 127.0.0.1:0"
        let outcomes = try ["credkit-server", "credkit-server check"].map {
            try shell.run("timeout 60 \($0) \(address) \(options)")
        }
        for outcome in outcomes {
            #expect(outcome.status == status, "\(options): \(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(options): \(outcome.errors)")
        }
        // The first problem is the last line.
        let messages = outcomes.map { $0.errors.split(separator: "\n").last }
        #expect(messages[0] == messages[1], "\(options)")
        #expect(outcomes[1].text.isEmpty)
    }

    @Test func startAndCheckRefuseTheSame() throws {
        let shell = try Self.shell()
        defer { shell.remove() }
        // Taken, but nothing listens there.
        let closed = try FreePort()
        defer { withExtendedLifetime(closed) {} }
        for (options, status, reason) in [
            ("--users none", 74, "none: cannot open the file"),
            ("--users damaged", 65, "damaged: line 1: not of the form name:RECORD"),
            ("--users users --otp-file codes", 65, "codes: line 1"),
            ("--users users --otp-file none", 74, "none: cannot open the file"),
            ("--users users --key-phrase-file none", 74, "none: No such file"),
            ("--users users --mechanism scram", 65, "cannot log in by scram"),
            ("--users verifiers --mock-key-file mocks", 65, "mocks: line 1"),
            ("--users verifiers --mock-key-file none/mocks", 73, "cannot write none/mocks"),
            ("--users users --tls-cert none --tls-key key.pem", 74, "none: cannot open the file"),
            ("--users users --tls-cert users --tls-key key.pem", 65, "users: "),
            ("--users users --tls-cert ed.pem --tls-key key.pem", 65, "is not the key of the certificate"),
            (
                "--users verifiers --tls-cert ed.pem --tls-key ed-key.pem --require-channel-binding", 65,
                "ed.pem: "
            ),
            ("--users users --state redis://127.0.0.1:1 --state-key-file short", 65, "a key has from 32"),
            (
                "--users users --state redis://127.0.0.1:\(closed.number) --state-key-file state-key", 69,
                "cannot share state in Redis"
            ),
            ("--users users --listen 127.0.0.1:\(closed.number)", 73, "Address already in use"),
            ("--users users --listen 192.0.2.1:0 --allow-insecure-http", 73, "Cannot assign"),
            ("--users users --metrics 127.0.0.1:\(closed.number)", 73, "Address already in use"),
            ("--config conf", 64, "conf: line 2: Invalid value for '--attempts"),
            ("--config novalue", 64, "novalue: line 1: 'users' requires a value"),
        ] as [(String, Int32, String)] {
            try compare(shell, options, status, reason)
        }
    }

    /// All at once, the first one last, as its status is that of the process.
    @Test func startReportsAllProblems() throws {
        let shell = try Self.shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            "credkit-server --listen 127.0.0.1:0 --users damaged --tls-cert none --tls-key missing"
        )
        #expect(outcome.status == 65)
        let names = outcome.errors.split(separator: "\n").map { $0.split(separator: " ")[1] }
        #expect(names == (["none:", "missing:", "damaged:"] as [Substring]), "\(outcome.errors)")
    }

    @Test func checkOfARunningServerLeavesItsAddress() throws {
        let shell = try Self.shell()
        defer { shell.remove() }
        let server = try ServerProcess(shell, "credkit-server --users users --listen 127.0.0.1:0 --quiet")
        let address = server.url.dropFirst("http://".count)
        let outcome = try shell.run(
            """
            credkit-server check --users users --listen \(address) 2> errors; echo $?
            credkit-server check --running --users users --listen \(address); echo $?
            credkit-server check --users users --listen 127.0.0.1:9 --metrics 127.0.0.1:9 2> errors; echo $?
            """
        )
        #expect(outcome.text == "73\nok: 1 users\n0\n64\n", "\(outcome.errors)")
        #expect(server.stop() == 0)
    }

    /// A server must come back after a crash, although clients refuse the certificate.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/faketime")))
    func anExpiredCertificateIsAWarningAtTheStart() throws {
        let shell = try Self.shell()
        defer { shell.remove() }
        let made = try shell.run(
            """
            faketime -f -90d openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout old-key.pem \\
                -out old.pem 2> /dev/null
            """
        )
        #expect(made.status == 0)
        let options = "--users users --tls-cert old.pem --tls-key old-key.pem --listen 127.0.0.1:0"
        let check = try shell.run("credkit-server check \(options)")
        #expect(check.status == 65)
        let server = try ServerProcess(shell, "credkit-server \(options)")
        #expect(server.errors.contains("old.pem: the certificate has expired at 20"), "\(server.errors)")
        #expect(server.stop() == 0)
    }
}
