// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTestSupport
import Foundation
import Logging
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

struct WhoAmI: Decodable, Sendable { var user: String }

extension Endpoint<WhoAmI> {
    /// Every request is sent, so that those at the server can be counted.
    static var data: Self { Self.get("/data").setting(\.duplicates, to: .allow) }
}

/// Returns the error that a call throws.
func failure(_ body: () async throws -> Void) async -> ClientError? {
    do { try await body() } catch { return error as? ClientError }
    return nil
}

/// Provides a server, a keychain and a folder, and creates sessions that use them.
class SessionTestCase: XCTestCase {
    /// 2016-08-17 10:00 in Shanghai.
    static let morning: UnixTime = 1_471_399_200

    private(set) var folder = ""
    private(set) var server = FakeServer()
    private(set) var keychain = Keychain(store: InMemoryStore())
    private(set) var logs = CapturedLogs()
    private var stateHome: String?

    override func setUpWithError() throws {
        folder = try TemporaryFolder.make()
        stateHome = ProcessInfo.processInfo.environment["XDG_STATE_HOME"]
        setenv("XDG_STATE_HOME", folder + "/state-home", 1)
        server = FakeServer()
        keychain = Keychain(store: InMemoryStore())
        logs = CapturedLogs()
    }

    override func tearDown() {
        if let stateHome { setenv("XDG_STATE_HOME", stateHome, 1) } else { unsetenv("XDG_STATE_HOME") }
        TemporaryFolder.remove(folder)
    }

    var configuration: LoginSession.Configuration {
        var configuration = LoginSession.Configuration()
        configuration.folder = folder + "/sessions"
        configuration.now = { Self.morning }
        let start = ContinuousClock.now
        configuration.uptime = { start }
        configuration.logger = logs.logger
        return configuration
    }

    func session(
        _ url: String = "http://127.0.0.1:1",
        profile: LoginProfile = .timestamped(keyPhrase: "itheima"),
        keychain: Keychain? = nil,
        hasKeychain: Bool = true,
        transport: (any HTTPTransport)? = nil,
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) throws -> LoginSession {
        var configuration = configuration
        change(&configuration)
        return try LoginSession(
            server: url,
            profile: profile,
            keychain: hasKeychain ? keychain ?? self.keychain : nil,
            configuration: configuration,
            transport: transport ?? server.transport
        )
    }

    /// Creates a session that is logged in as alice.
    func loggedIn(_ change: (inout LoginSession.Configuration) -> Void = { _ in }) async throws
        -> LoginSession
    {
        let session = try session("http://127.0.0.1:1", change)
        try await session.logIn(username: "alice", password: "zhang")
        return session
    }

    /// The names of the session files.
    var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder + "/sessions"))?.sorted() ?? []
    }

    var filePath: String { folder + "/sessions/" + (files.first ?? "none") }

    func password(of account: String, at service: String = "http://127.0.0.1:1") async throws -> String? {
        try await keychain.sessionSecret(service: service, account: account)
    }

    /// Waits until a condition holds.
    func eventually(_ isDone: () async -> Bool, line: UInt = #line) async {
        for _ in 0..<20_000 {
            if await isDone() { return }
            try? await Task.sleep(for: .milliseconds(1))
        }
        XCTFail("the condition was not met in time", line: line)
    }

    /// Sends many requests at once, and counts the outcomes.
    func sendAtOnce(_ count: Int, _ session: LoginSession) async -> (answers: Int, errors: [ClientError]) {
        await withTaskGroup(of: ClientError?.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do throws(ClientError) {
                        _ = try await session.send(.data)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var (answers, errors) = (0, [ClientError]())
            for await error in group {
                if let error { errors.append(error) } else { answers += 1 }
            }
            return (answers, errors)
        }
    }
}
