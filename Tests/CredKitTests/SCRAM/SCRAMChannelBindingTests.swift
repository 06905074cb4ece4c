// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKit

/// Logins that are bound to their connection, and the hashes of real certificates.
final class SCRAMChannelBindingTests: XCTestCase {
    private let exporter = SCRAM.ChannelBinding(.exporter, value: [UInt8](repeating: 7, count: 32))
    private let endPoint = SCRAM.ChannelBinding(.serverEndPoint, value: [UInt8](repeating: 9, count: 32))

    func testBoundLogin() throws {
        for binding in [exporter, endPoint] {
            let exchange = try SCRAMExchange(
                mechanism: .sha256Plus,
                request: .bound(binding.kind),
                offer: .init([exporter, endPoint], isRequired: true),
                binding: binding
            )
            XCTAssertTrue(exchange.client.firstMessage.hasPrefix("p=\(binding.kind.rawValue),,"))
            guard case .accepted(let answer) = try exchange.server.verify(exchange.final.message) else {
                return XCTFail("not accepted")
            }
            XCTAssertNoThrow(try exchange.final.check(answer))
        }
    }

    /// A relay has another connection or certificate to the client than to the server.
    func testRelay() throws {
        for kind in SCRAM.ChannelBinding.Kind.allCases {
            let exchange = try SCRAMExchange(
                mechanism: .sha256Plus,
                request: .bound(kind),
                offer: .init([exporter, endPoint]),
                binding: .init(kind, value: [UInt8](repeating: 1, count: 32))
            )
            assertSCRAM(.channelBindingFailed) { try exchange.server.verify(exchange.final.message) }
        }
    }

    /// An attacker removes channel binding from the server's list, or from the client's first message.
    func testDowngrades() throws {
        assertSCRAM(.channelBindingFailed) {
            try SCRAMExchange(request: .notOffered, offer: .init([endPoint]))
        }
        assertSCRAM(.channelBindingFailed) {
            try SCRAMExchange(request: .unsupported, offer: .init([endPoint], isRequired: true))
        }
        XCTAssertNoThrow(try SCRAMExchange(request: .notOffered))
        XCTAssertNoThrow(try SCRAMExchange(request: .unsupported, offer: .init([endPoint])))
        // The server sees 'n' where the client has sent 'y' or 'p': the last message tells.
        for (mechanism, request, binding) in [
            (SCRAM.Mechanism.sha256, SCRAM.BindingRequest.notOffered, nil),
            (.sha256Plus, .bound(.serverEndPoint), endPoint),
        ] {
            let client = try SCRAM.Client(username: "alice", mechanism: mechanism, binding: request)
            let bare = client.firstMessage.drop { $0 != "," }
            let server = try SCRAM.Server(
                clientFirst: .init("n\(bare)"),
                verifier: SCRAMExchange.verifier.get(),
                offer: .init([endPoint])
            )
            let challenge = try client.challenge(from: server.firstMessage)
            let keys = try SCRAM.ClientKeys(password: SCRAMExchange.password, for: challenge)
            let final = try client.finalMessage(for: challenge, keys: keys, binding: binding)
            assertSCRAM(.channelBindingFailed) { try server.verify(final.message) }
        }
    }

    func testValuesThatAreMissing() throws {
        for offer in [
            SCRAM.Server.BindingOffer.none, .init([exporter]), .init([.init(.serverEndPoint, value: [])]),
        ] {
            assertSCRAM(.channelBindingFailed) {
                try SCRAMExchange(
                    mechanism: .sha256Plus,
                    request: .bound(.serverEndPoint),
                    offer: offer,
                    binding: endPoint
                )
            }
        }
        for binding in [nil, exporter, .init(.serverEndPoint, value: [])] as [SCRAM.ChannelBinding?] {
            assertSCRAM(.channelBindingFailed) {
                try SCRAMExchange(
                    mechanism: .sha256Plus,
                    request: .bound(.serverEndPoint),
                    offer: .init([endPoint]),
                    binding: binding
                )
            }
        }
        assertSCRAM(.channelBindingFailed) { try SCRAMExchange(binding: endPoint) }
        assertSCRAM(.channelBindingFailed) {
            try SCRAM.Client(username: "alice", mechanism: .sha256Plus, binding: .unsupported)
        }
        assertSCRAM(.channelBindingFailed) {
            try SCRAM.Client(username: "alice", mechanism: .sha512, binding: .bound(.exporter))
        }
    }

    func testMechanismNames() {
        for (name, mechanism) in [
            ("SCRAM-SHA-256", SCRAM.Mechanism.sha256), ("scram-sha-256-plus", .sha256Plus),
            ("SCRAM-SHA-512", .sha512), ("SCRAM-SHA-512-PLUS", .sha512Plus),
        ] {
            XCTAssertEqual(SCRAM.Mechanism(name: name), mechanism)
        }
        for name in ["", "SCRAM", "SCRAM-SHA-1", "SCRAM-SHA-256-", "SCRAM\rSHA-256", "\u{13}CRAM-SHA-256"] {
            XCTAssertNil(SCRAM.Mechanism(name: name), name)
        }
        XCTAssertEqual(SCRAM.Mechanism.sha512Plus.with(channelBinding: false), .sha512)
    }

    /// Certificates of openssl, and the digests that it prints of them.
    func testCertificates() throws {
        let rsa = "-newkey rsa:2048"
        for (options, digest) in [
            ("\(rsa) -sha256", "sha256"), ("\(rsa) -sha384", "sha384"), ("\(rsa) -sha512", "sha512"),
            ("\(rsa) -sha1", "sha256"), ("\(rsa) -md5", "sha256"),
            ("\(rsa) -sha384 -sigopt rsa_padding_mode:pss", "sha384"),
            ("-newkey ec -pkeyopt ec_paramgen_curve:P-256 -sha256", "sha256"),
            ("-newkey ec -pkeyopt ec_paramgen_curve:P-384 -sha384", "sha384"),
            ("-newkey ec -pkeyopt ec_paramgen_curve:P-256 -sha512", "sha512"),
        ] {
            let certificate = try certificate(options)
            let expected = try shell("openssl dgst -\(digest) -binary", input: certificate)
            XCTAssertEqual(
                try SCRAM.ChannelBinding.serverEndPoint(certificate: certificate),
                .init(.serverEndPoint, value: expected),
                options
            )
        }
    }

    func testCertificatesWithoutABinding() throws {
        for (options, name) in [("-newkey ed25519", "ED25519"), ("-newkey ed448", "ED448")] {
            let certificate = try certificate(options)
            XCTAssertThrowsError(try SCRAM.ChannelBinding.serverEndPoint(certificate: certificate)) { error in
                XCTAssertEqual(error as? SCRAM.Error, .channelBindingFailed)
                XCTAssertTrue("\(error)".contains(name), "\(error)")
            }
        }
        let other = try certificate("-newkey rsa:2048 -sha224")
        assertSCRAM(.channelBindingFailed) { try SCRAM.ChannelBinding.serverEndPoint(certificate: other) }
        let good = try certificate("-newkey ec -pkeyopt ec_paramgen_curve:P-256 -sha256")
        for bytes in [[], [0x30], Array(good.dropLast()), good + [0], [UInt8](repeating: 0x30, count: 64)] {
            assertSCRAM(.channelBindingFailed) { try SCRAM.ChannelBinding.serverEndPoint(certificate: bytes) }
        }
    }

    private func certificate(_ options: String) throws -> [UInt8] {
        try shell(
            "openssl req -x509 -nodes -subj /CN=test -keyout /dev/null -outform DER \(options) 2>/dev/null",
            input: []
        )
    }

    private func shell(_ command: String, input: [UInt8]) throws -> [UInt8] {
        let output = try Program.succeed(["sh", "-c", command], input: Data(input)).output
        XCTAssertFalse(output.isEmpty, command)
        return Array(output)
    }
}
