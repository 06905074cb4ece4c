// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTestSupport
import Foundation
import NIOCore
import NIOPosix

@testable import CredKitServerCommand

/// What an administrator asks, also a Sentinel, over a connection of the servers' client.
extension RedisServer {
    /// Sends a command, over the Unix socket if there is one.
    @discardableResult
    func send(_ parts: String...) async throws -> RESPReply {
        let endpoint: RedisEndpoint =
            isSentinel
            ? .host("127.0.0.1", Int(port)) : .socket(folder.appending(component: "redis.sock").path)
        let connection = try await RedisConnection.open(
            to: endpoint,
            security: .unencrypted,
            limits: RedisLimits(),
            on: MultiThreadedEventLoopGroup.singleton.any()
        )
        defer { connection.close() }
        let reply = try await connection.send(
            RESPEncoder.command(parts.map { Array($0.utf8) }),
            by: .now() + .seconds(20)
        )
        if let text = reply.errorText { throw Failure(description: text) }
        return reply
    }

    /// Returns a number of `INFO`.
    func info(_ name: String) async throws -> Int? {
        try await line(of: name).flatMap { Int($0) }
    }

    /// Returns how often a command was called.
    func calls(of command: String) async throws -> Int? {
        try await line(of: "cmdstat_\(command)").flatMap { line in
            Int(line.dropFirst("calls=".count).prefix { $0.isNumber })
        }
    }

    private func line(of name: String) async throws -> Substring? {
        guard case .bytes(let bytes) = try await send("INFO", "everything") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.first { $0.hasPrefix("\(name):") }?.dropFirst(name.count + 1)
    }
}
