// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// What logins that fail, or that cannot be saved, leave in the keychain: nothing.
final class UnsavedLoginTests: SessionTestCase {
    private static let profile = LoginProfile.oauth(
        clientID: "desktop",
        tokenPath: "/token",
        deviceAuthorizationPath: "/device",
        revocationPath: "/revoke",
        dpop: .required
    )

    private let ok = ScriptedTransport.Answer.json(#"{"user": "test"}"#)
    private let unauthorized = ScriptedTransport.Answer.json("{}", status: .unauthorized)
    private let store = PartialStore()

    private func token(_ number: Int) -> ScriptedTransport.Answer {
        .json(
            #"{"access_token": "access\#(number)", "token_type": "DPoP", "refresh_token": "refresh\#(number)"}"#
        )
    }

    private func refusal(_ name: String) -> ScriptedTransport.Answer {
        .json(#"{"error": "\#(name)"}"#, status: .badRequest)
    }

    /// Returns the purposes of the items in a keychain.
    private func purposes(in keychain: Keychain) async throws -> [String] {
        try await keychain.items().compactMap { $0.key.attributes[CredentialKey.purposeName] }.sorted()
    }

    private func vault() throws -> Keychain {
        var vault = VaultConfiguration()
        vault.path = folder + "/vault"
        vault.stateDirectory = folder + "/vault-state"
        vault.keySources = try [.passphrase(SecretBytes("correct horse"))]
        vault.argon2idCost = try Argon2idCost(memory: .kibibytes(8), passes: 1)
        vault.promptPolicy.timeout = .seconds(30)
        return Keychain(store: try VaultStore(vault))
    }

    /// Puts a file in the place of the folder of the session files, or removes it.
    private func blockFolder(_ isBlocked: Bool) throws {
        let path = folder + "/sessions"
        if isBlocked {
            try Data().write(to: URL(fileURLWithPath: path))
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private func assertUnwritable(_ error: ClientError?, line: UInt = #line) {
        XCTAssertTrue(error == .storage || error == .insecureFile, "\(error as Any)", line: line)
    }

    func testPasswordWithoutASessionFileLeavesTheVault() async throws {
        let keychain = try vault()
        try blockFolder(true)
        for savesPassword in [true, false] {
            let session = try session(keychain: keychain)
            let error = await failure {
                try await session.logIn(
                    username: "alice",
                    password: "zhang",
                    savesPassword: savesPassword
                )
            }
            assertUnwritable(error)
            let left = try await purposes(in: keychain)
            XCTAssertEqual(left, [])
            // This program goes on, until the login has expired.
            XCTAssertEqual(session.account, "alice")
            _ = try await session.send(.data)
            server.expire()
            let renewal = await failure { _ = try await session.send(.data) }
            XCTAssertEqual(renewal, .reauthenticationRequired)
        }
    }

    func testTokensWithoutASessionFileLeaveTheVault() async throws {
        let keychain = try vault()
        for savesToken in [true, false] {
            try blockFolder(true)
            let transport = ScriptedTransport([token(1), ok, unauthorized, token(2), ok, .json("")])
            let session = try session(profile: Self.profile, keychain: keychain, transport: transport)
            let error = await failure {
                try await session.logIn(
                    username: "test",
                    password: "refresh0",
                    savesPassword: savesToken
                )
            }
            assertUnwritable(error)
            var left = try await purposes(in: keychain)
            XCTAssertEqual(left, [])
            // The given token is used up: this program renews from memory, with the same key.
            for _ in 0..<2 { _ = try await session.value(of: .data) }
            XCTAssertTrue(transport.requests[3].text.hasSuffix("refresh_token=refresh1"))
            try await session.flush()
            left = try await purposes(in: keychain)
            XCTAssertEqual(left, [])
            try blockFolder(false)
            try await session.logOut()
            XCTAssertTrue(transport.requests.last?.text.hasSuffix("&token=refresh2") ?? false)
        }
    }

    /// As the command is set up. A token that is still valid belongs to the program that it comes from.
    func testReplacedTokenThatCannotBeSavedIsRevoked() async throws {
        try blockFolder(true)
        for (number, paths) in [(1, ["/token", "/revoke"]), (0, ["/token"])] as [(Int, [String?])] {
            let transport = ScriptedTransport([token(number), .json("")])
            let session = try session(profile: Self.profile, transport: transport) {
                $0.revokesUnsavedTokens = true
            }
            let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
            assertUnwritable(error)
            XCTAssertEqual(transport.requests.map(\.head.path), paths)
        }
    }

    /// The keychain takes the secrets, but not the key of the session file, and then deletes nothing.
    func testSecretsThatTheKeychainDoesNotDeleteAreReported() async throws {
        let (store, answer, notices) = (self.store, token(1), Lock<[String]>([]))
        let keychain = Keychain(store: store)
        let transport = ScriptedTransport { request in
            guard request.head.path == "/token" else { return .json("") }
            await store.refuse(sessionKeys: true, deletions: true)
            return answer
        }
        let session = try session(profile: Self.profile, keychain: keychain, transport: transport) {
            $0.notice = { text in notices.withLock { $0.append(text) } }
        }
        let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
        XCTAssertEqual(error, .keychain)
        let told = notices.withLock { $0 }
        XCTAssertEqual(told.count, 1)
        let notice =
            "the keychain may still have secrets of a login that was not completed, of the service 'http://127.0.0.1:1', and "
            + "does not remove them (the keychain is locked): delete them there"
        XCTAssertEqual(told.first, notice)
        XCTAssertTrue(logs.text.contains("may still have secrets"), logs.text)
        var left = try await purposes(in: keychain)
        XCTAssertEqual(left, ["dpop-key", "session-secret"])
        // The same session tries again.
        await store.refuse(sessionKeys: false, deletions: false)
        try await session.logOut()
        left = try await purposes(in: keychain)
        XCTAssertEqual(left, [])
    }

    /// A login of the same name is saved, and its file stays readable.
    func testSecretsThatASavedLoginUsesStay() async throws {
        let keychain = Keychain(store: store)
        let first = try session(
            profile: Self.profile,
            keychain: keychain,
            transport: ScriptedTransport([token(1)])
        )
        try await first.logIn(username: "test", password: "refresh0")
        await store.refuse(sessionKeys: true, deletions: false)
        let revoking = ScriptedTransport([token(2), .json("")])
        let second = try session(profile: Self.profile, keychain: keychain, transport: revoking) {
            $0.revokesUnsavedTokens = true
        }
        let error = await failure { try await second.logIn(username: "test", password: "refresh9") }
        XCTAssertEqual(error, .keychain)
        XCTAssertEqual(revoking.requests.count, 1)
        let left = try await purposes(in: keychain)
        XCTAssertEqual(left, ["dpop-key", "session-key", "session-secret"])
        let transport = ScriptedTransport([token(3), ok])
        let third = try session(profile: Self.profile, keychain: keychain, transport: transport)
        try await third.restore()
        _ = try await third.value(of: .data)
        XCTAssertTrue(transport.requests[0].text.hasSuffix("refresh_token=refresh2"))
    }

    /// The item of a secret is that of the account, not of the session.
    func testSecretsThatASessionOfAnotherNameUsesStay() async throws {
        let keychain = try vault()
        let first = try session(
            profile: Self.profile,
            keychain: keychain,
            transport: ScriptedTransport([token(1)])
        ) { $0.name = "first" }
        try await first.logIn(username: "test", password: "refresh0")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777],
            ofItemAtPath: folder + "/sessions"
        )
        let transport = ScriptedTransport([token(2), .json("")])
        let second = try session(profile: Self.profile, keychain: keychain, transport: transport) {
            $0.name = "second"
            $0.revokesUnsavedTokens = true
        }
        let error = await failure { try await second.logIn(username: "test", password: "refresh9") }
        assertUnwritable(error)
        // Nothing is revoked: the first session continues with the new token.
        XCTAssertEqual(transport.requests.map(\.head.path), ["/token"])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700],
            ofItemAtPath: folder + "/sessions"
        )
        let renewal = ScriptedTransport([token(3), ok])
        let third = try session(profile: Self.profile, keychain: keychain, transport: renewal) {
            $0.name = "first"
        }
        try await third.restore()
        _ = try await third.value(of: .data)
        XCTAssertTrue(renewal.requests[0].text.hasSuffix("refresh_token=refresh2"), renewal.requests[0].text)
    }

    /// The file of the login before cannot be read now, so that it is unknown which secrets it uses.
    func testPasswordOfAnUnreadableSavedLoginStays() async throws {
        _ = try await loggedIn()
        let attributes = [FileAttributeKey.posixPermissions: 0o777]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: folder + "/sessions")
        let second = try session()
        let error = await failure { try await second.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error, .insecureFile)
        let kept = try await password(of: "alice")
        XCTAssertEqual(kept, "zhang")
        let left = try await purposes(in: keychain)
        XCTAssertEqual(left, ["session-key", "session-secret"])
    }

    /// Refused, out of time, unusable, cancelled; and killed, for which the keychain is looked at while the user is asked.
    func testDeviceLoginsThatFailLeaveNoKey() async throws {
        let authorization = ScriptedTransport.Answer.json(
            #"{"device_code": "a", "user_code": "b", "verification_uri": "https://example.com/", "expires_in": 60}"#
        )
        let unusable = ScriptedTransport.Answer.json(#"{"refresh_token": "refresh1", "token_type": "mac"}"#)
        for (answer, expected) in [
            (refusal("access_denied"), .invalidCredentials), (refusal("expired_token"), .timedOut),
            (unusable, .malformedResponse), (nil, .cancelled),
        ] as [(ScriptedTransport.Answer?, ClientError)] {
            let clock = ManualClock()
            let answers: [ScriptedTransport.Answer?] = [
                authorization, refusal("authorization_pending"), answer, ScriptedTransport.Answer.json(""),
            ]
            let transport = ScriptedTransport(answers.compactMap { $0 })
            let session = try session(profile: Self.profile, transport: transport) { $0.clock = clock }
            let login = Task {
                await failure { try await session.logInWithDevice(username: "test") { _ in } }
            }
            for count in 1...2 {
                await eventually { clock.sleeperCount > 0 && transport.requests.count == count }
                let left = try await purposes(in: keychain)
                XCTAssertEqual(left, [], "after \(count) requests")
                if count == 2, answer == nil { login.cancel() } else { clock.advance(by: .seconds(5)) }
            }
            let error = await login.value
            XCTAssertEqual(error, expected)
            let left = try await purposes(in: keychain)
            XCTAssertEqual(left, [], "\(expected.code)")
        }
    }

    /// The new refresh token of an unusable answer is kept with its key, and there is no other item.
    func testUnusableAnswerLeavesOneKey() async throws {
        let unusable = ScriptedTransport.Answer.json(#"{"refresh_token": "refresh1", "token_type": "mac"}"#)
        let session = try session(profile: Self.profile, transport: ScriptedTransport([unusable]))
        let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
        XCTAssertEqual(error, .malformedResponse)
        let left = try await purposes(in: keychain)
        XCTAssertEqual(left, ["dpop-key", "session-secret"])
        let ofSession = try await keychain.items(service: SessionKey.service)
        XCTAssertEqual(ofSession.count, 0)
    }

    /// Its key would stay there.
    func testKeychainThatDeletesNothingIsFoundBeforeTheFirstRequest() async throws {
        await store.refuse(sessionKeys: false, deletions: true)
        let transport = ScriptedTransport([token(1)])
        let session = try session(
            profile: Self.profile,
            keychain: Keychain(store: store),
            transport: transport
        )
        let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
        XCTAssertEqual(error, .keychain)
        XCTAssertEqual(transport.requests.count, 0)
    }

    /// A program that was killed while it tried the keychain has left a key.
    func testKeysOfKilledLoginsAreRemoved() async throws {
        for logsIn in [true, false] {
            let key = try DPoPKey()
            let place = DPoPKeyItem.ofSession("http://127.0.0.1:1", key.thumbprint())
            try await DPoPKeyItem.store(key, at: place, in: keychain)
            // A logout that does not know what the login was.
            let session = try session(
                profile: logsIn ? Self.profile : .form(),
                transport: ScriptedTransport([token(1), .json("")])
            )
            if logsIn {
                try await session.logIn(username: "test", password: "refresh0")
            } else {
                try await session.logOut()
            }
            let left = try await keychain.credential(for: place)
            XCTAssertNil(left)
            try await session.logOut()
        }
    }
}
