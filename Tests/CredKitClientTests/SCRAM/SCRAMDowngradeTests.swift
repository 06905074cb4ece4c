// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitClient

/// A session that has logged in by SCRAM does not go back to an older mechanism unless it is told to.
final class SCRAMDowngradeTests: SessionTestCase {
    private static let older: [LoginProfile] = [
        .timestamped(keyPhrase: "itheima"), .form(), .insecureGetForm(), .basic(), .bearer(),
        .oauth(clientID: "school", tokenPath: "/token"),
    ]

    private func logInBySCRAM(_ transport: any HTTPTransport) async throws {
        let session = try session(profile: .scram(), transport: transport)
        try await session.logIn(username: "alice", password: "zhang")
    }

    func testOlderMechanismIsRefusedBeforeAnythingIsSent() async throws {
        try await logInBySCRAM(SCRAMScript().transport)
        for profile in Self.older {
            let transport = ScriptedTransport([])
            let session = try session(profile: profile, transport: transport)
            for account in ["alice", "bob"] {
                let error = await failure {
                    try await session.logIn(username: account, password: "zhang")
                }
                XCTAssertEqual(error, .mechanismDowngrade, "\(profile)")
                XCTAssertTrue(error?.message.contains("allowsMechanismDowngrade") == true)
            }
            // A restored session would renew itself.
            let error = await failure { try await session.restore() }
            XCTAssertEqual(error, .mechanismDowngrade, "\(profile)")
            XCTAssertNil(session.account)
            XCTAssertEqual(transport.requests.count, 0)
        }
    }

    func testItIsAllowedByName() async throws {
        try await logInBySCRAM(SCRAMScript().transport)
        let session = try session(profile: .form()) { $0.allowsMechanismDowngrade = true }
        try await session.restore()
        try await session.logIn(username: "alice", password: "zhang")
        // From then on it is a session of the form.
        let next = try self.session(profile: .form())
        let isRestored = try await next.restore()
        XCTAssertTrue(isRestored)
    }

    func testOtherSessionsAndLoginsAfterALogoutAreNotRefused() async throws {
        let scram = try SCRAMScript()
        try await logInBySCRAM(scram.transport)
        let other = try session(profile: .form()) { $0.name = "other" }
        try await other.logIn(username: "alice", password: "zhang")
        let saved = try session(profile: .scram(), transport: scram.transport)
        try await saved.restore()
        try await saved.logOut()
        let form = try session(profile: .form())
        try await form.logIn(username: "alice", password: "zhang")
    }

    func testSavedSessionOpensWithItsOwnMechanism() async throws {
        let scram = try SCRAMScript()
        try await logInBySCRAM(scram.transport)
        scram.state.withLock { $0.isExpired = true }
        let opened = try await LoginSession.open(
            named: "http://127.0.0.1:1",
            in: keychain,
            configuration: configuration,
            transport: scram.transport
        )
        _ = try await opened?.value(of: .data)
        XCTAssertEqual(scram.count("last"), 2)
    }

    func testRequiredChannelBindingIsNotGivenUp() async throws {
        let required = LoginProfile.scram(channelBinding: .required(.serverEndPoint))
        let cases: [(LoginProfile.ChannelBinding, Bool)] = [
            (.none, false), (.preferred(.serverEndPoint), false), (.preferred(.exporter), false),
            (.required(.serverEndPoint), true), (.required(.exporter), true),
        ]
        let server = try SCRAMScript()
        let transport = BindingTransport(server, values: [[1]])
        let session = try session("https://127.0.0.1:1", profile: required, transport: transport)
        try await session.logIn(username: "alice", password: "zhang")
        for (binding, isAllowed) in cases {
            let next = try self.session(
                "https://127.0.0.1:1",
                profile: .scram(channelBinding: binding),
                transport: transport
            )
            let error = await failure { try await next.restore() }
            XCTAssertEqual(error, isAllowed ? nil : .mechanismDowngrade, "\(binding)")
        }
    }
}
