// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Both halves beside those of scramp, GNU SASL and slixmpp.
final class SCRAMPeerTests: XCTestCase {
    private let exporter = SCRAM.ChannelBinding(.exporter, value: [UInt8](0..<32))
    private let passwords = ["pencil", "a,b=c d", "IX\u{2168}\u{AD}", "correct horse battery staple"]

    /// Logs in to a peer; returns whether both sides are content.
    private func logIn(
        to name: String,
        as user: String = "us,er=1",
        _ mechanism: SCRAM.Mechanism,
        password: String,
        theirs: String,
        binding: SCRAM.ChannelBinding? = nil,
        theirBinding: (SCRAM.ChannelBinding.Kind, [UInt8])? = nil
    ) throws -> Bool {
        let peer = try SCRAMPeer(
            name,
            .server,
            mechanism: mechanism,
            user: user,
            password: theirs,
            binding: theirBinding ?? binding.map { ($0.kind, $0.value) }
        )
        let client = try SCRAM.Client(
            username: user,
            mechanism: mechanism,
            binding: binding.map { .bound($0.kind) } ?? .unsupported
        )
        try peer.send(client.firstMessage)
        let challenge = try client.challenge(from: peer.receive())
        let keys = try SCRAM.ClientKeys(password: password, for: challenge)
        let final = try client.finalMessage(for: challenge, keys: keys, binding: binding)
        try peer.send(final.message)
        do {
            try final.check(peer.receive())
        } catch {
            return false
        }
        return try peer.isContent()
    }

    /// Lets a peer log in here; returns whether both sides are content.
    private func letIn(
        _ name: String,
        _ mechanism: SCRAM.Mechanism,
        password: String,
        theirs: String,
        binding: SCRAM.ChannelBinding? = nil
    ) throws -> Bool {
        let user = "us,er=1"
        let peer = try SCRAMPeer(
            name,
            .client,
            mechanism: mechanism,
            user: user,
            password: theirs,
            binding: binding.map { ($0.kind, $0.value) }
        )
        let first = try SCRAM.ClientFirst(peer.receive())
        XCTAssertEqual(first.username, user)
        let verifier = try SCRAM.Verifier(
            password: password,
            hashFunction: mechanism.hashFunction,
            iterations: .fewer(4096)
        )
        let server = try SCRAM.Server(
            clientFirst: first,
            verifier: verifier,
            subject: .password,
            offer: binding.map { .init([$0], isRequired: true) } ?? .none
        )
        try peer.send(server.firstMessage)
        switch try server.verify(peer.receive()) {
        case .accepted(let answer):
            try peer.send(answer)
            return try peer.isContent()
        case .rejected(let answer):
            try peer.send(answer)
            XCTAssertFalse(try peer.isContent())
            return false
        }
    }

    func testOurClient() throws {
        for (peer, mechanisms) in [
            ("scramp", [SCRAM.Mechanism.sha256, .sha512]), ("gsasl", [.sha256]),
        ] {
            for mechanism in mechanisms {
                for password in passwords {
                    XCTAssertTrue(
                        try logIn(to: peer, mechanism, password: password, theirs: password),
                        "\(peer) \(mechanism) \(password)"
                    )
                }
                XCTAssertFalse(try logIn(to: peer, mechanism, password: "pencil", theirs: "pen"), peer)
            }
        }
    }

    func testOurServer() throws {
        for (peer, mechanisms) in [
            ("scramp", [SCRAM.Mechanism.sha256, .sha512]), ("gsasl", [.sha256]),
            ("slixmpp", [.sha256, .sha512]),
        ] {
            for mechanism in mechanisms {
                // slixmpp does not prepare passwords.
                for password in passwords where peer != "slixmpp" || password.utf8.allSatisfy({ $0 < 0x80 }) {
                    XCTAssertTrue(
                        try letIn(peer, mechanism, password: password, theirs: password),
                        "\(peer) \(mechanism) \(password)"
                    )
                }
                XCTAssertFalse(try letIn(peer, mechanism, password: "pencil", theirs: "pen"), peer)
            }
        }
    }

    /// With GNU SASL both halves by the exporter, and with scramp by a certificate.
    func testChannelBinding() throws {
        XCTAssertTrue(
            try logIn(to: "gsasl", .sha256Plus, password: "pencil", theirs: "pencil", binding: exporter)
        )
        XCTAssertTrue(
            try letIn("gsasl", .sha256Plus, password: "pencil", theirs: "pencil", binding: exporter)
        )
        XCTAssertFalse(
            (try? logIn(
                to: "gsasl",
                .sha256Plus,
                password: "pencil",
                theirs: "pencil",
                binding: exporter,
                theirBinding: (.exporter, [UInt8](1...32))
            )) ?? false
        )
        for (options, name) in [("rsa:2048 -sha256", "sha256"), ("rsa:2048 -sha512", "sha512")] {
            let pem = try certificate(options, form: "PEM")
            let der = try Base64.standard.decode(
                String(decoding: pem, as: UTF8.self).split(separator: "\n").dropFirst().dropLast().joined()
            )
            let binding = try SCRAM.ChannelBinding.serverEndPoint(certificate: der)
            XCTAssertTrue(
                try logIn(
                    to: "scramp",
                    .sha256Plus,
                    password: "pencil",
                    theirs: "pencil",
                    binding: binding,
                    theirBinding: (.serverEndPoint, pem)
                ),
                name
            )
        }
    }

    private func certificate(_ options: String, form: String) throws -> [UInt8] {
        let command =
            "openssl req -x509 -nodes -subj /CN=test -keyout /dev/null -outform \(form) -newkey \(options)"
        return Array(try Program.succeed(["sh", "-c", command], errors: .kept).output)
    }
}
