// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import CredKitTestSupport
import XCTest

/// Both halves of SCRAM beside PostgreSQL and libpq, and the verifiers that each has made.
final class PostgreSQLLoginTests: XCTestCase {
    /// Logs in to the server; returns whether both sides are content.
    private func logIn(
        to server: PostgreSQLServer,
        _ user: String,
        password: String,
        binding: SCRAM.ChannelBinding? = nil
    ) throws -> Bool {
        let mechanism = SCRAM.Mechanism.sha256.with(channelBinding: binding != nil)
        let peer = try SCRAMPeer(
            "postgresql",
            .server,
            mechanism: mechanism,
            user: user,
            password: "",
            environment: ["POSTGRESQL_PORT": "\(server.port)"]
        )
        // The server takes the name from its own protocol, whatever this one says.
        let client = try SCRAM.Client(
            username: user,
            mechanism: mechanism,
            binding: binding.map { .bound($0.kind) } ?? .unsupported
        )
        try peer.send(client.firstMessage)
        let challenge = try client.challenge(from: peer.receive())
        let keys = try SCRAM.ClientKeys(password: password, for: challenge, preparation: .postgreSQL)
        let final = try client.finalMessage(for: challenge, keys: keys, binding: binding)
        try peer.send(final.message)
        guard let answer = try? peer.receive() else { return false }
        try final.check(answer)
        return try peer.isContent()
    }

    func testOurClientAndVerifiers() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let passwords = ["pencil", "IX\u{2168}\u{AD}x", "🐎 horse", "a:b\\c'd"]
        for (number, password) in passwords.enumerated() {
            let text = password.replacingOccurrences(of: "'", with: "''")
            try server.run("CREATE ROLE theirs\(number) LOGIN PASSWORD '\(text)'")
            let ours = try SCRAM.Verifier(
                password: password,
                iterations: .fewer(4096 + number),
                preparation: .postgreSQL
            )
            try server.run("CREATE ROLE ours\(number) LOGIN PASSWORD '\(ours.text())'")
            for role in ["theirs\(number)", "ours\(number)"] {
                XCTAssertTrue(try logIn(to: server, role, password: password), "\(role) \(password)")
                XCTAssertFalse(try logIn(to: server, role, password: "wrong"), "\(role) \(password)")
                XCTAssertEqual(
                    try server.logIn(role: role, password: Array(password.utf8)).status,
                    0,
                    "\(role) \(password)"
                )
            }
            // A record of the server verifies here.
            let sql = "SELECT rolpassword FROM pg_authid WHERE rolname = 'theirs\(number)'"
            let record = try XCTUnwrap(server.run(sql).first?.first)
            XCTAssertTrue(try SCRAM.Verifier(record).matches(password, preparation: .postgreSQL))
            XCTAssertFalse(try SCRAM.Verifier(record).matches("wrong", preparation: .postgreSQL))
        }
    }

    /// A verifier of a password-equivalent logs in with its digits, and not with the password.
    func testLayeredVerifier() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let equivalent = Legacy.TimestampedLogin(keyPhrase: "itheima").passwordEquivalent(for: "zhang")
        let verifier = try SCRAM.Verifier(passwordEquivalent: equivalent)
        XCTAssertEqual(verifier.iterations, 600_000)
        try server.run("CREATE ROLE layered LOGIN PASSWORD '\(verifier.text())'")
        XCTAssertEqual(try server.logIn(role: "layered", password: Array(equivalent.hex.utf8)).status, 0)
        XCTAssertNotEqual(try server.logIn(role: "layered", password: Array("zhang".utf8)).status, 0)
    }

    func testChannelBinding() throws {
        for certificate in [PostgreSQLServer.Certificate.ecdsaSHA256, .rsaSHA384] {
            let server = try PostgreSQLServer(certificate: certificate)
            defer { server.stop() }
            try server.run("CREATE ROLE alice LOGIN PASSWORD 'pencil'")
            let file = try String(contentsOf: XCTUnwrap(server.certificate), encoding: .utf8)
            let binding = try SCRAM.ChannelBinding.serverEndPoint(certificate: der(file))
            XCTAssertTrue(try logIn(to: server, "alice", password: "pencil", binding: binding))
            let other = SCRAM.ChannelBinding(.serverEndPoint, value: [UInt8](repeating: 1, count: 32))
            XCTAssertFalse(try logIn(to: server, "alice", password: "pencil", binding: other))
        }
    }

    /// psql logs in here, with and without channel binding.
    func testLibpq() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/psql") else {
            throw XCTSkip("psql is not installed")
        }
        let path = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(path) }
        let folder = URL(fileURLWithPath: path)
        for isBound in [false, true] {
            for (theirs, isRight) in [("pencil", true), ("IX\u{AD}", true), ("wrong", false)] {
                let file = folder.appending(component: "\(isBound)\(isRight)\(theirs.utf8.count).pem")
                let binding = isBound ? try certificate(in: file) : nil
                let mechanism = SCRAM.Mechanism.sha256.with(channelBinding: isBound)
                let peer = try SCRAMPeer(
                    "libpq",
                    .client,
                    mechanism: mechanism,
                    user: "alice",
                    password: theirs,
                    binding: binding.map { ($0.kind, Array(file.path.utf8)) }
                )
                let first = try SCRAM.ClientFirst(peer.receive(), allowsEmptyName: true)
                let server = try SCRAM.Server(
                    clientFirst: first,
                    verifier: SCRAM.Verifier(
                        password: isRight ? theirs : "pencil",
                        iterations: .fewer(4096),
                        preparation: .postgreSQL
                    ),
                    offer: binding.map { .init([$0], isRequired: true) } ?? .none
                )
                try peer.send(server.firstMessage)
                switch try server.verify(peer.receive()) {
                case .accepted(let answer), .rejected(let answer): try peer.send(answer)
                }
                XCTAssertEqual(try peer.isContent(), isRight, "\(isBound) \(theirs)")
            }
        }
    }

    private func der(_ pem: String) throws -> [UInt8] {
        let lines = pem.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN CERT") }.dropFirst()
        return try Base64.standard.decode(lines.prefix { !$0.hasPrefix("-----END") }.joined())
    }

    /// Makes a certificate with its key in a file.
    private func certificate(in file: URL) throws -> SCRAM.ChannelBinding {
        try Program.succeed(
            ["openssl", "req", "-x509", "-nodes", "-subj", "/CN=localhost", "-newkey", "rsa:2048", "-sha256"]
                + ["-keyout", file.path + ".key", "-out", file.path],
            errors: .kept
        )
        let key = try String(contentsOfFile: file.path + ".key", encoding: .utf8)
        let certificate = try String(contentsOf: file, encoding: .utf8)
        try (certificate + key).write(to: file, atomically: true, encoding: .utf8)
        return try .serverEndPoint(certificate: der(certificate))
    }
}
