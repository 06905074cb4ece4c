// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitServer
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

/// A mechanism from outside of CredKit at both ends: a session logs in to a service.
final class PINLoginTests: MechanismTestCase {
    private struct User: Decodable { let user: String }

    private let url = "https://school.example"
    private let keychain = Keychain(store: InMemoryStore())
    private let folder = NSTemporaryDirectory() + "/credkit-pin-\(UUID().uuidString)"

    override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

    /// The endpoints of a server with the service.
    private func transport(_ service: LoginService) -> ScriptedTransport {
        let (now, token) = (now, HTTPField.Name("x-auth-token")!)
        return ScriptedTransport { request in
            do {
                let path = request.head.path ?? ""
                if path == "/pin/number" {
                    let number = try await service.challenge(of: "pin", for: "home", at: now)
                    return .json(number ?? "")
                }
                guard path.hasPrefix("/pin/") else {
                    let sent = request.head.headerFields[token] ?? ""
                    guard let user = try await service.sessions.user(of: sent) else {
                        return .json("{}", status: .unauthorized)
                    }
                    return .json(#"{"user": "\#(user)"}"#)
                }
                let parts = request.text.split(separator: " ", omittingEmptySubsequences: false)
                let attempt = LoginAttempt(
                    username: String(path.dropFirst("/pin/".count)),
                    response: String(parts[1]),
                    clientAddress: "home",
                    challenge: String(parts[0]),
                    code: request.head.headerFields[.authorization]
                )
                switch try await service.logIn(with: "pin", attempt, at: now) {
                case .accepted(let user):
                    let issued = try await service.sessions.issue(for: user)
                    return .json("{}").addingHeader("x-auth-token", issued?.text ?? "")
                case .rejected: return .json("{}", status: .unauthorized)
                case .codeRequired: return .json("{}", status: .preconditionRequired)
                default: return .json("{}", status: .tooManyRequests)
                }
            } catch {
                return .json("{}", status: .internalServerError)
            }
        }
    }

    private func session(_ transport: ScriptedTransport, code: String? = nil) throws -> LoginSession {
        var configuration = LoginSession.Configuration()
        configuration.folder = folder
        configuration.oneTimeCode = { _ throws(ClientError) in code.flatMap { try? SecretBytes($0) } }
        return try LoginSession(
            server: url,
            profile: .mechanism(PINLogin()),
            keychain: keychain,
            configuration: configuration,
            transport: transport
        )
    }

    private func user(_ session: LoginSession) async throws -> String {
        try await session.value(of: Endpoint<User>.get("/data")).user
    }

    func testSessionLogsInRenewsAndIsRestored() async throws {
        let service = try service()
        let transport = transport(service)
        let first = try session(transport)
        try await first.logIn(username: "zhang", password: "2580")
        let name = try await user(first)
        XCTAssertEqual(name, "zhang")
        try await first.flush()
        let second = try session(transport)
        let isRestored = try await second.restore()
        XCTAssertTrue(isRestored)
        transport.clearRequests()
        let again = try await user(second)
        XCTAssertEqual(again, "zhang")
        XCTAssertEqual(transport.requests.map(\.head.path), ["/data"])
        // The server ends its sessions, and the PIN in the keychain begins another one.
        try await service.sessions.revokeAll(of: "zhang")
        let renewed = try await user(second)
        XCTAssertEqual(renewed, "zhang")
        XCTAssertEqual(
            transport.requests.map(\.head.path),
            ["/data", "/data", "/pin/number", "/pin/zhang", "/data"]
        )
        try await second.logOut()
        let left = try await keychain.accounts(service: url)
        XCTAssertEqual(left, [])
    }

    func testRejectedPINIsNotTriedAgain() async throws {
        let service = try service()
        let transport = transport(service)
        let session = try session(transport)
        do {
            try await session.logIn(username: "zhang", password: "2581")
            XCTFail("a wrong PIN")
        } catch {
            XCTAssertEqual(error, .invalidCredentials)
        }
        try await session.logIn(username: "zhang", password: "2580")
        // The PIN changes at the server.
        let items = try await keychain.items(service: url)
        let saved = try XCTUnwrap(items.first { $0.account == "zhang" })
        try await keychain.set(Credential(item: saved, secret: SecretBytes("2581")))
        try await service.sessions.revokeAll(of: "zhang")
        for _ in 0..<3 {
            do {
                let name = try await user(session)
                XCTFail(name)
            } catch {
                XCTAssertEqual(error as? ClientError, .invalidCredentials)
            }
        }
        XCTAssertEqual(transport.requests.filter { $0.head.path == "/pin/zhang" }.count, 3)
    }

    func testSecondStepTakesTheCodeOfTheSession() async throws {
        struct Codes: LoginSecondStep {
            func isRequired(for _: LoginAccount) -> Bool { true }
            func verify(_ code: String, of _: LoginAccount, at _: UnixTime) -> MechanismVerdict {
                code == "123456" ? .accepted() : .rejected
            }
        }
        for (code, expected) in [("123456", nil), (nil, .oneTimeCodeRequired), ("1", .invalidCredentials)]
            as [(String?, ClientError?)]
        {
            let session = try session(transport(try service(secondStep: Codes())), code: code)
            do {
                try await session.logIn(username: "zhang", password: "2580")
                XCTAssertNil(expected)
            } catch {
                XCTAssertEqual(error, expected)
            }
        }
    }
}
