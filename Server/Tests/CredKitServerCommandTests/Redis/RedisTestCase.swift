// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import NIOCore
import NIOPosix
import XCTest

@testable import CredKitServer
@testable import CredKitServerCommand

/// Clients of Redis, on event loops of their own.
class RedisTestCase: XCTestCase {
    /// Returns its first argument.
    static let echo = RedisScript(name: "echo", text: "#!lua\nreturn ARGV[1]")
    /// Writes a key.
    static let write = RedisScript(name: "write", text: "#!lua\nreturn redis.call('SET', KEYS[1], ARGV[1])")

    private var clients: [RedisClient] = []
    private var groups: [MultiThreadedEventLoopGroup] = []

    override func tearDown() async throws {
        for client in clients { await client.stop() }
        for group in groups { try await group.shutdownGracefully() }
        (clients, groups) = ([], [])
    }

    func client(
        _ url: String,
        user: String? = nil,
        password: String? = nil,
        security: RedisSecurity = .unencryptedOnThisMachine,
        limits: RedisLimits = RedisLimits(),
        loops: Int = 2
    ) throws -> RedisClient {
        let settings = RedisSettings(
            address: try RedisAddress(url),
            security: security,
            user: user,
            password: try password.map { try SecretBytes(Array($0.utf8)) }
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        groups.append(group)
        let client = RedisClient(settings, limits: limits, group: group)
        clients.append(client)
        return client
    }

    /// Returns a client that is connected.
    func started(_ url: String, limits: RedisLimits = RedisLimits(), loops: Int = 2) async throws
        -> RedisClient
    {
        let client = try client(url, limits: limits, loops: loops)
        try await client.start()
        return client
    }

    /// Waits until a client answers again, and returns how long that took.
    func recovery(of client: RedisClient) async throws -> Duration {
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(20) {
            if (try? await client.echo("x", within: .milliseconds(200))) == "x" { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        return start.duration(to: .now)
    }

    func assertEventually(_ condition: () async throws -> Bool, _ message: String, line: UInt = #line)
        async throws
    {
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(20) {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        XCTFail(message, line: line)
    }
}

extension RedisClient {
    /// Runs the script that returns its argument.
    func echo(_ text: String, within limit: Duration = .seconds(20)) async throws -> String? {
        let value = try await run(RedisTestCase.echo, keys: [], arguments: [Array(text.utf8)], within: limit)
        guard case .bytes(let bytes) = value else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Returns the kind of the error that a step ends with; `nil` if it ends without one.
func errorCode(_ step: () async throws -> Void) async -> SharedStateError.Code? {
    do {
        try await step()
        return nil
    } catch let error as SharedStateError {
        return error.code
    } catch {
        XCTFail("\(error)")
        return nil
    }
}
