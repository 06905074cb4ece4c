// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import CredKit

/// The server's client of Redis: one connection for each event loop, shared by all requests.
///
/// A command is sent at most once. If its reply does not come, the caller gets an error and the server may have run it.
final class RedisClient: RedisScriptRunner {
    private let lanes: [RedisLane]
    private let hasSentinels: Bool
    private let next = NIOLockedValueBox(0)
    private let tasks = NIOLockedValueBox<[Task<Void, Never>]>([])

    /// Creates a client. It connects with ``start()``.
    init(
        _ settings: RedisSettings,
        limits: RedisLimits = RedisLimits(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        lanes = group.makeIterator().map { RedisLane(on: $0, settings, limits) }
        hasSentinels = settings.address.primaryName != nil
    }

    /// Connects, and from then on replaces connections that are lost, until ``stop()``.
    ///
    /// - Throws: Why a connection could not be made. Further attempts follow all the same.
    func start() async throws(SharedStateError) {
        let failure = await withTaskGroup(of: SharedStateError?.self) { group in
            for lane in lanes {
                group.addTask {
                    do throws(SharedStateError) {
                        try await lane.connect()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        tasks.withLockedValue { $0 = lanes.map { lane in Task { await lane.maintain() } } }
        if let failure { throw failure }
    }

    /// Closes all connections, and ends the attempts to replace them. Commands fail from then on.
    func stop() async {
        let running = tasks.withLockedValue { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in running { task.cancel() }
        for lane in lanes { lane.stop() }
        // The event loops can be shut down afterwards.
        for task in running { await task.value }
    }

    func run(
        _ script: RedisScript,
        keys: [String],
        arguments: [[UInt8]],
        within timeLimit: Duration
    ) async throws -> RedisValue {
        let deadline = NIODeadline.now() + TimeAmount(min(max(timeLimit, .zero), .seconds(3600)))
        let (lane, connection) = try pick()
        guard timeLimit > .zero else { throw SharedStateError(.timedOut) }
        let rest = [Array("\(keys.count)".utf8)] + keys.map { Array($0.utf8) } + arguments
        var reply = try await connection.send(command("EVALSHA", script.sha1, rest), by: deadline)
        // Proves that the server did not run the script.
        if reply.errorCode == "NOSCRIPT" {
            reply = try await connection.send(command("EVAL", script.text, rest), by: deadline)
        }
        if let text = reply.errorText {
            let error = SharedStateError(redisError: text)
            if isOfServer(reply) { lane.abandon(connection, because: error) }
            throw error
        }
        guard let value = reply.value else { throw SharedStateError(.malformedAnswer) }
        lane.noteSuccess()
        return value
    }

    /// Returns the lane of this event loop, which needs to wake no other thread; or the next one that is connected.
    private func pick() throws(SharedStateError) -> (RedisLane, RedisConnection) {
        let own = MultiThreadedEventLoopGroup.currentEventLoop.flatMap { loop in
            lanes.firstIndex { $0.loop === loop }
        }
        let start =
            own
            ?? next.withLockedValue { next in
                next = (next + 1) % max(lanes.count, 1)
                return next
            }
        var failure = SharedStateError(.disconnected)
        for index in lanes.indices {
            let lane = lanes[(start + index) % lanes.count]
            switch lane.connection {
            case .success(let connection): return (lane, connection)
            case .failure(let error): failure = error
            }
        }
        throw failure
    }

    private func command(_ name: String, _ script: String, _ rest: [[UInt8]]) -> [UInt8] {
        RESPEncoder.command([Array(name.utf8), Array(script.utf8)] + rest)
    }

    /// Whether an error shows that this server is not, or not yet, the one to ask.
    private func isOfServer(_ error: RESPReply) -> Bool {
        guard let code = error.errorCode else { return false }
        return ["READONLY", "LOADING", "MASTERDOWN", "NOAUTH"].contains(code)
            || hasSentinels && code == "NOREPLICAS"
    }

    /// The number of commands that wait, abandoned ones included.
    var waitingCount: Int {
        lanes.reduce(0) { $0 + ((try? $1.connection.get())?.waitingCount ?? 0) }
    }
}

/// Which Redis server to use, and how to log in to it.
struct RedisSettings: Sendable {
    let address: RedisAddress
    let security: RedisSecurity
    /// The user of the server's access control list; `nil` for the default one.
    let user: String?
    /// The user's password; `nil` if the server requires none.
    let password: SecretBytes?

    /// The command that logs in; `nil` without a password.
    var login: [UInt8]? {
        guard let password else { return nil }
        let secret = password.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
        let name = user.map { [Array($0.utf8)] } ?? []
        return RESPEncoder.command([Array("AUTH".utf8)] + name + [secret])
    }
}
