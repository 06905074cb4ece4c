// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTestSupport
import Foundation
import NIOCore
import NIOPosix
import XCTest

@testable import CredKitServerCommand

/// A Redis server or a Sentinel on a free port of 127.0.0.1. It ends with this object or with the test process.
final class RedisProcess {
    struct Failure: Error {
        let log: String
    }

    private(set) var port: Int
    /// The folder with the configuration, the data and the Unix socket `redis.sock`.
    let folder: URL
    private let isSentinel: Bool
    private var process: Process?
    private var lifeline: Pipe?
    private(set) var processID: Int32 = 0

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - lines: Lines of the configuration. `PORT` and `FOLDER` in them are replaced.
    ///   - isSentinel: Whether to start a Sentinel.
    /// - Throws: `XCTSkip` if Redis is not installed.
    init(_ lines: [String] = [], isSentinel: Bool = false) throws {
        self.isSentinel = isSentinel
        guard Self.path != nil else { throw XCTSkip("Redis is not installed") }
        folder = URL(filePath: "/tmp/credkit-redis-\(UUID().uuidString.prefix(8))")
        port = try Int(FreePort().number)
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        var all = ["bind 127.0.0.1", "protected-mode no", "dir FOLDER"] + lines
        if !lines.contains(where: { $0.hasPrefix("port ") }) { all.append("port PORT") }
        if !isSentinel {
            all.append("unixsocket FOLDER/redis.sock")
            if !lines.contains(where: { $0.hasPrefix("save ") }) { all.append(#"save """#) }
        }
        let text = all.joined(separator: "\n").replacing("PORT", with: "\(port)").replacing(
            "FOLDER",
            with: folder.path
        )
        try Data((text + "\n").utf8).write(to: folder.appending(component: "redis.conf"))
        do {
            try start()
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private static let path = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Starts the server, on the same port again after ``kill()``.
    func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // The shell kills the server when its input ends.
        let script =
            #""$@" </dev/null & server=$!; echo "server $server"; read -r _; kill -KILL $server; wait $server"#
        process.arguments =
            [
                "--default-signal", "sh", "-c", script, "sh", Self.path ?? "", "redis.conf",
            ] + (isSentinel ? ["--sentinel"] : [])
        process.currentDirectoryURL = folder
        let (lifeline, log) = (Pipe(), Pipe())
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardInput = lifeline
        process.standardOutput = log
        process.standardError = log
        try process.run()
        (self.process, self.lifeline) = (process, lifeline)
        var text = ""
        let sign = isSentinel ? "+monitor" : "eady to accept connections at"
        while !text.contains(sign) {
            let next = log.fileHandleForReading.availableData
            guard !next.isEmpty, !text.contains("FATAL"), !text.contains("Failed") else {
                end()
                throw Failure(log: text)
            }
            text += String(decoding: next, as: UTF8.self)
        }
        let first = text.split(separator: "\n").first { $0.hasPrefix("server ") }
        processID = try XCTUnwrap(first.flatMap { Int32($0.dropFirst(7)) })
        // A full pipe would stop the server.
        log.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
    }

    /// Sends a signal to the server.
    func signal(_ number: Int32) { _ = Glibc.kill(processID, number) }

    /// Kills the server. Its folder remains.
    func kill() { end() }

    private func end() {
        try? lifeline?.fileHandleForWriting.close()
        process?.waitForExit()
        (process, lifeline) = (nil, nil)
    }

    private func remove() {
        end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sends a command as an administrator, over the Unix socket.
    @discardableResult
    func command(_ parts: String...) async throws -> RESPReply {
        let endpoint: RedisEndpoint =
            isSentinel ? .host("127.0.0.1", port) : .socket(folder.appending(component: "redis.sock").path)
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
        if let text = reply.errorText { throw Failure(log: text) }
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
        guard case .bytes(let bytes) = try await command("INFO", "everything") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.first { $0.hasPrefix("\(name):") }?.dropFirst(name.count + 1)
    }
}
