// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import XCTest

@testable import CredKitClient

/// Logins by SCRAM at a server that is not part of CredKit: scramp, framed by RFC 7804.
final class SCRAMServerTests: SessionTestCase {
    private static let equivalent = "97070e99c2efa11e14a1b6f5407b4209"
    private static let transparent = LoginProfile.ChannelBinding.none
    private static let endPoint = LoginProfile.ChannelBinding.required(.serverEndPoint)
    private static let exporter = LoginProfile.ChannelBinding.required(.exporter)

    private func session(
        _ peer: SCRAMPeer,
        _ kind: String = "plain",
        _ profile: LoginProfile = .scram(),
        _ connection: ConnectionSettings? = nil
    ) throws -> LoginSession {
        var configuration = configuration
        configuration.name = "\(UUID())"
        configuration.connection = connection ?? peer.connection
        configuration.oneTimeCode = { _ in try? SecretBytes("654321") }
        return try LoginSession(
            server: peer.url(kind),
            profile: profile,
            keychain: keychain,
            configuration: configuration
        )
    }

    private func logIn(_ session: LoginSession, _ password: String = "zhang") async -> ClientError? {
        await failure { try await session.logIn(username: "alice", password: password) }
    }

    func testLoginAndRenewal() async throws {
        let peer = try SCRAMPeer()
        for (name, function) in [("SCRAM-SHA-256", SCRAM.HashFunction.sha256), ("SCRAM-SHA-512", .sha512)] {
            try peer.set(.text("mechanism", name))
            let session = try session(peer, "plain", .scram(hashFunction: function))
            try await session.logIn(username: "alice", password: "zhang")
            _ = try await session.value(of: .data)
            let before = try peer.set(.flag("expire")).logins
            _ = try await session.value(of: .data)
            XCTAssertEqual(try peer.state.logins, before + 1)
            XCTAssertEqual(session.scramKeys.useCount, 1)
            let error = await logIn(session, "wrong")
            XCTAssertEqual(error, .invalidCredentials)
        }
        XCTAssertEqual(try peer.state.lists, 0)
    }

    func testOneTimeCode() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("otp", "654321"))
        let session = try session(peer)
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertEqual(try peer.state.codes, ["", "654321"])
    }

    func testEndPointWithEachHashFunction() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("binding", "tls-server-end-point"))
        for kind in ["sha256", "sha384", "sha512", "tls12"] {
            let error = await logIn(try session(peer, kind, .scram(channelBinding: Self.endPoint)))
            XCTAssertNil(error, kind)
        }
        XCTAssertEqual(Set(try peer.state.flags), ["p=tls-server-end-point"])
    }

    func testEndPointOfACertificateWithoutHashFunctionIsRefusedByItsName() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("binding", "tls-server-end-point"))
        for binding in [Self.endPoint, .preferred(.serverEndPoint)] {
            let session = try session(peer, "ed25519", .scram(channelBinding: binding))
            let error = await logIn(session)
            XCTAssertEqual(error, .channelBindingFailed)
            XCTAssertTrue(
                error?.message.uppercased().contains("ED25519") == true,
                "\(String(describing: error))"
            )
        }
        XCTAssertEqual(try peer.state.firsts, 0)
        let error = await logIn(try session(peer, "ed25519"))
        XCTAssertNil(error)
    }

    func testExporterOfEachVersionOfTLS() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("binding", "tls-exporter"))
        for kind in ["sha256", "tls12"] {
            let session = try session(peer, kind, .scram(channelBinding: Self.exporter))
            try await session.logIn(username: "alice", password: "zhang")
            try peer.set(.flag("expire"))
            _ = try await session.value(of: .data)
        }
        XCTAssertEqual(Set(try peer.state.flags), ["p=tls-exporter"])
        let state = try peer.state
        XCTAssertEqual(state.firsts, state.logins)
    }

    func testExporterNeedsTheExtendedMasterSecret() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("binding", "tls-exporter"))
        let error = await logIn(try session(peer, "tls12-no-ems", .scram(channelBinding: Self.exporter)))
        XCTAssertEqual(error, .channelBindingFailed)
        XCTAssertTrue(error?.message.contains("extended master secret") == true)
        XCTAssertEqual(try peer.state.firsts, 0)
    }

    func testRelayWithATrustedCertificateIsRefused() async throws {
        let peer = try SCRAMPeer()
        for (name, binding) in [("tls-server-end-point", Self.endPoint), ("tls-exporter", Self.exporter)] {
            try peer.set(.text("binding", name))
            let error = await logIn(try session(peer, "relay", .scram(channelBinding: binding)))
            XCTAssertEqual(error, .channelBindingFailed)
            XCTAssertEqual(try peer.state.logins, 0)
        }
        // Without a binding nothing shows the relay.
        let error = await logIn(try session(peer, "relay"))
        XCTAssertNil(error)
    }

    func testProxyThatForwardsTheConnectionIsNoRelay() async throws {
        let peer = try SCRAMPeer()
        for (name, binding) in [("tls-server-end-point", Self.endPoint), ("tls-exporter", Self.exporter)] {
            try peer.set(.text("binding", name))
            let session = try session(peer, "sha256", .scram(channelBinding: binding), try peer.proxied)
            try await session.logIn(username: "alice", password: "zhang")
        }
        XCTAssertEqual(try peer.state.logins, 2)
    }

    func testConnectionThatIsExchangedBetweenBothMessagesBeginsTheLoginAnew() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("binding", "tls-exporter"))
        for kind in ["sha256", "tls12"] {
            let before = try peer.set(.number("closes", 1))
            let session = try session(peer, kind, .scram(channelBinding: Self.exporter))
            try await session.logIn(username: "alice", password: "zhang")
            let after = try peer.state
            XCTAssertEqual(after.firsts, before.firsts + 2, kind)
            // The proof for the old connection was not sent over the new one.
            XCTAssertEqual(after.finals, before.finals + 1, kind)
        }
        let before = try peer.set(.number("closes", 100))
        let error = await logIn(try session(peer, "sha256", .scram(channelBinding: Self.exporter)))
        // The old connection may still look open when the last proof is sent over it.
        XCTAssertTrue(error == .connectionChanged || error == .noResponse, "\(String(describing: error))")
        let after = try peer.state
        XCTAssertEqual(after.firsts, before.firsts + SCRAMLogin.maximumAttemptCount)
        XCTAssertEqual(after.finals, before.finals)
        try peer.set(.number("closes", 0))
        // A certificate is the same on each connection.
        try peer.set(.text("binding", "tls-server-end-point"), .number("closes", 1))
        let once = try peer.state.firsts
        let other = await logIn(try session(peer, "sha256", .scram(channelBinding: Self.endPoint)))
        XCTAssertNil(other)
        XCTAssertEqual(try peer.state.firsts, once + 1)
    }

    func testPreferredBindingIsUsedWhereTheServerListsIt() async throws {
        let peer = try SCRAMPeer()
        let profile = LoginProfile.scram(channelBinding: .preferred(.serverEndPoint))
        try peer.set(.text("binding", "tls-server-end-point"))
        var error = await logIn(try session(peer, "sha256", profile))
        XCTAssertNil(error)
        XCTAssertEqual(try peer.state.flags, ["p=tls-server-end-point"])
        // No TLS: this client cannot bind.
        try peer.set(.text("binding", nil))
        error = await logIn(try session(peer, "plain", profile))
        XCTAssertNil(error)
        XCTAssertEqual(try peer.state.flags.last, "n")
        // A server that has none.
        error = await logIn(try session(peer, "sha256", profile))
        XCTAssertNil(error)
        XCTAssertEqual(try peer.state.flags.last, "y")
        XCTAssertEqual(try peer.state.lists, 2)
        // A server that has it, and an attacker who removes it from the list.
        try peer.set(.text("binding", "tls-server-end-point"), .list("lists", ["SCRAM-SHA-256"]))
        error = await logIn(try session(peer, "sha256", profile))
        XCTAssertEqual(error, .channelBindingFailed)
        XCTAssertEqual(try peer.state.logins, 3)
        try peer.set(.list("lists", ["SCRAM-SHA-1"]))
        error = await logIn(try session(peer, "sha256", profile))
        XCTAssertEqual(error, .malformedChallenge)
    }

    func testRequiredBindingThatTheServerOrTheConnectionDoesNotHave() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("binding", "tls-exporter"))
        var error = await logIn(try session(peer, "sha256", .scram(channelBinding: Self.endPoint)))
        XCTAssertEqual(error, .channelBindingFailed)
        error = await logIn(try session(peer, "plain", .scram(channelBinding: Self.endPoint)))
        XCTAssertEqual(error, .channelBindingFailed)
        XCTAssertEqual(try peer.state.logins, 0)
    }

    func testLayeredVerifierIsReplacedIfTheProfileAllowsIt() async throws {
        let peer = try SCRAMPeer()
        try peer.set(.text("password", Self.equivalent), .text("subject", "e"), .text("ticket", "a ticket+"))
        var error = await logIn(try session(peer, "plain", .scram(keyPhrase: "itheima")))
        XCTAssertNil(error)
        XCTAssertEqual(try peer.state.verifiers, [])
        let replacing = LoginProfile.scram(keyPhrase: "itheima", replacesLayeredVerifier: true)
        error = await logIn(try session(peer, "sha256", replacing))
        XCTAssertNil(error)
        let sent = try XCTUnwrap(peer.state.verifiers.first)
        XCTAssertEqual(sent[0], "a ticket+")
        XCTAssertTrue(sent[1].hasPrefix("SCRAM-SHA-256$600000:"))
        let verifier = try SCRAM.Verifier(sent[1])
        XCTAssertTrue(try verifier.matches(SecretBytes("zhang"), preparation: .rfc4013))
        XCTAssertTrue(sent[2].hasPrefix("sid=cookie-"))
        XCTAssertEqual(try peer.state.tokens.first?.hasPrefix("token-cookie-"), true)
        // A verifier of the password needs no other one.
        try peer.set(.text("password", "zhang"), .text("subject", "p"))
        error = await logIn(try session(peer, "plain", replacing))
        XCTAssertNil(error)
        XCTAssertEqual(try peer.state.verifiers.count, 1)
    }
}
