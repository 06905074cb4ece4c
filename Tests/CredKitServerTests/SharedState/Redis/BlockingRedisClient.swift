// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitSystem
import Foundation

/// A small client of Redis, as users have their own: some threads, each with one connection that blocks.
///
/// Blocking calls must not be made on the threads that `async` functions run on.
final class BlockingRedisClient: RedisScriptRunner {
    /// One connection. Only its thread uses it.
    private final class Connection: @unchecked Sendable {
        private let port: UInt16
        private let login: [String]
        private var descriptor: Int32 = -1
        private var parser = RESPParser()

        init(port: UInt16, login: [String]) {
            self.port = port
            self.login = login
        }

        deinit { close() }

        func close() {
            if descriptor >= 0 { Glibc.close(descriptor) }
            descriptor = -1
        }

        func send(_ parts: [[UInt8]], within limit: Duration) throws -> RESPReply {
            do {
                if descriptor < 0 { try connect(within: limit) }
                let reply = try exchange(RESPEncoder.command(parts), within: limit)
                if let text = reply.errorText { throw SharedStateError(redisError: text) }
                return reply
            } catch let error as SharedStateError {
                // An answer that comes later would be taken for that of the next command.
                if [.timedOut, .disconnected, .readOnly].contains(error.code) { close() }
                throw error
            }
        }

        private func connect(within limit: Duration) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = port.bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, size)
                }
            }
            guard status == 0 else { throw SharedStateError(.disconnected) }
            parser = RESPParser()
            guard !login.isEmpty else { return }
            let answer = try exchange(
                RESPEncoder.command(["AUTH"].map { Array($0.utf8) } + login.map { Array($0.utf8) }),
                within: limit
            )
            if let text = answer.errorText { throw SharedStateError(redisError: text) }
        }

        private func exchange(_ bytes: [UInt8], within limit: Duration) throws -> RESPReply {
            guard write(bytes) else { throw SharedStateError(.disconnected) }
            let end = ContinuousClock.now + limit
            var input: ArraySlice<UInt8> = []
            while true {
                if let reply = try parser.next(&input) { return reply }
                let rest = ContinuousClock.now.duration(to: end)
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard rest > .zero, Glibc.poll(&poll, 1, Int32(rest / .milliseconds(1)) + 1) > 0 else {
                    throw SharedStateError(.timedOut)
                }
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { throw SharedStateError(.disconnected) }
                input += buffer.prefix(count)
            }
        }

        private func write(_ bytes: [UInt8]) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    private let connections: [(connection: Connection, thread: SerialThread)]
    private let next = Lock(0)

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - port: The port on 127.0.0.1.
    ///   - login: The user and the password; empty for none.
    init(port: UInt16, login: [String] = []) {
        connections = (0..<4).map { _ in (Connection(port: port, login: login), SerialThread()) }
    }

    func run(
        _ script: RedisScript,
        keys: [String],
        arguments: [[UInt8]],
        within timeLimit: Duration
    ) async throws -> RedisValue {
        let index = next.withLock { next in
            next += 1
            return next % connections.count
        }
        let connection = connections[index].connection
        func command(_ name: String, _ text: String) -> [[UInt8]] {
            ([name, text, "\(keys.count)"] + keys).map { Array($0.utf8) } + arguments
        }
        let (short, long) = (command("EVALSHA", script.sha1), command("EVAL", script.text))
        let reply: RESPReply = try await connections[index].thread.run(
            deadline: timeLimit * 2,
            orThrow: { _ in SharedStateError(.timedOut) }
        ) { _ in
            Result {
                do {
                    return try connection.send(short, within: timeLimit)
                } catch let error as SharedStateError where error.description.contains("NOSCRIPT") {
                    return try connection.send(long, within: timeLimit)
                }
            }
            .mapError { $0 as? SharedStateError ?? SharedStateError(.malformedAnswer) }
        }
        guard let value = reply.value else { throw SharedStateError(.malformedAnswer) }
        return value
    }
}
