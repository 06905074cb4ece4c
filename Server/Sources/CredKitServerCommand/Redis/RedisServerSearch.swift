// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOCore

/// One attempt to find a primary and to log in to it.
struct RedisServerSearch: Sendable {
    private let settings: RedisSettings
    private let limits: RedisLimits
    private let loop: any EventLoop

    init(_ settings: RedisSettings, _ limits: RedisLimits, _ loop: any EventLoop) {
        self.settings = settings
        self.limits = limits
        self.loop = loop
    }

    /// Returns a connection to a primary that runs scripts.
    ///
    /// - Throws: Why there is none, as the last server or Sentinel showed.
    func connect() async throws(SharedStateError) -> RedisConnection {
        let endpoints = settings.address.endpoints
        var failure = SharedStateError(.disconnected)
        do {
            guard let name = settings.address.primaryName else {
                guard let endpoint = endpoints.first else { throw failure }
                return try await connect(to: endpoint)
            }
            // A Sentinel that was separated from the others may name the former primary.
            for sentinel in endpoints.shuffled() {
                do {
                    return try await connect(to: try await ask(sentinel, for: name))
                } catch let error as SharedStateError {
                    failure = error
                }
            }
            throw failure
        } catch let error as SharedStateError {
            throw error
        } catch {
            throw SharedStateError(.disconnected, underlying: error)
        }
    }

    private func connect(to endpoint: RedisEndpoint) async throws -> RedisConnection {
        let connection = try await RedisConnection.open(
            to: endpoint,
            security: settings.security,
            limits: limits,
            on: loop
        )
        do {
            try await greet(connection)
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    /// Logs in, and checks that the server is a primary that is ready.
    private func greet(_ connection: RedisConnection) async throws {
        let deadline = NIODeadline.now() + limits.greetingTime
        if let login = settings.login {
            let reply = try await connection.send(login, by: deadline)
            if let text = reply.errorText {
                let error = SharedStateError(redisError: text)
                // ERR, if the server's default user has no password.
                throw error.code == .failed ? SharedStateError(redisError: "WRONGPASS") : error
            }
            guard reply == .simple(Array("OK".utf8)) else { throw SharedStateError(.malformedAnswer) }
        }
        let reply = try await connection.send(RESPEncoder.command("INFO", "replication"), by: deadline)
        if let text = reply.errorText { throw SharedStateError(redisError: text) }
        guard case .bytes(let bytes) = reply else { throw SharedStateError(.malformedAnswer) }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let role = lines.first(where: { $0.hasPrefix("role:") }) else {
            throw SharedStateError(.malformedAnswer)
        }
        guard role == "role:master" else { throw SharedStateError(redisError: "READONLY") }
        // A server that is loading its data answers INFO, but not PING.
        let sign = try await connection.send(RESPEncoder.command("PING"), by: deadline)
        if let text = sign.errorText, sign.errorCode == "LOADING" || sign.errorCode == "MASTERDOWN" {
            throw SharedStateError(redisError: text)
        }
    }

    private func ask(_ sentinel: RedisEndpoint, for name: String) async throws -> RedisEndpoint {
        let connection = try await RedisConnection.open(
            to: sentinel,
            security: settings.security,
            limits: limits,
            on: loop
        )
        defer { connection.close() }
        let command = RESPEncoder.command("SENTINEL", "get-master-addr-by-name", name)
        let reply = try await connection.send(command, by: .now() + limits.greetingTime)
        if let text = reply.errorText { throw SharedStateError(redisError: text) }
        guard reply != .null else {
            throw SharedStateError(
                .disconnected,
                message: "the Sentinel at \(sentinel) knows no primary of that name"
            )
        }
        guard let endpoint = RedisAddress.endpoint(reply) else { throw SharedStateError(.malformedAnswer) }
        return endpoint
    }
}
