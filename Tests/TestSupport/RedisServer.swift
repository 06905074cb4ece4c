// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A Redis server with no data, on a free port of 127.0.0.1 and a Unix socket, or a Sentinel on a free port. It ends with this
/// object, or when the test process exits for any reason.
public final class RedisServer {
    /// A server that did not do what the tests need, and what it said.
    public struct Failure: Error, CustomStringConvertible {
        /// What it said.
        public let description: String

        /// Creates a failure.
        ///
        /// - Parameter description: What the server said.
        public init(description: String) { self.description = description }
    }

    /// The port on 127.0.0.1.
    public let port: UInt16

    /// The folder with the configuration, the data and the Unix socket `redis.sock`.
    public let folder: URL

    /// Whether it is a Sentinel.
    public let isSentinel: Bool

    /// The number of the server's process, also after its end.
    public private(set) var processID: Int32 = 0

    /// The folder of the programs.
    private static let programs = ["/usr/bin", "/usr/local/bin"].first {
        FileManager.default.isExecutableFile(atPath: "\($0)/redis-server")
    }

    private let programs: String
    private var program: KeptProgram?

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - lines: Lines of the configuration, such as `maxmemory 2mb`. `PORT` in them stands for the free port.
    ///   - isSentinel: Whether to start a Sentinel.
    /// - Throws: ``Failure`` if Redis is not installed or does not start.
    public init(_ lines: [String] = [], isSentinel: Bool = false) throws {
        guard let programs = Self.programs else {
            throw Failure(description: "redis-server is not installed; run script/bootstrap test")
        }
        (self.programs, self.isSentinel) = (programs, isSentinel)
        folder = URL(filePath: "/tmp/credkit-redis-\(UUID().uuidString.prefix(8))")
        port = try FreePort().number
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        // The last line with a name counts.
        var all = ["bind 127.0.0.1", "protected-mode no", "port \(port)", "dir \(folder.path)"]
        if !isSentinel {
            all += ["unixsocket \(folder.path)/redis.sock", #"save """#, "repl-diskless-sync-delay 0"]
        }
        all += lines.map { $0.replacing("PORT", with: "\(port)") }
        let text = all.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: folder.appending(component: "redis.conf"))
        do {
            try start()
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    /// Starts the server, on the same port again after ``kill()``.
    public func start() throws {
        do {
            let program = try KeptProgram(
                ["\(programs)/redis-server", "redis.conf"] + (isSentinel ? ["--sentinel"] : []),
                endedBy: "KILL",
                in: folder,
                // Without a port it says "ready", with one "Ready".
                readyAt: isSentinel ? "+monitor" : "eady to accept connections",
                failingAt: ["FATAL", "Failed"]
            )
            (self.program, processID) = (program, program.processID)
        } catch let error as KeptProgram.NotReady {
            throw Failure(description: error.output)
        }
    }

    /// Sends a signal to the server.
    public func signal(_ number: Int32) { _ = Glibc.kill(processID, number) }

    /// Kills the server with SIGKILL. Its folder remains.
    public func kill() {
        program?.end()
        program = nil
    }

    private func remove() {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sends a command by redis-cli over the Unix socket, which a Sentinel does not have, and returns what it prints.
    @discardableResult
    public func command(_ parts: String...) throws -> String { try run(parts) }

    /// Does the same with a list of parts.
    @discardableResult
    public func run(_ parts: [String]) throws -> String {
        let socket = folder.appending(component: "redis.sock").path
        let outcome = try Program.run(["\(programs)/redis-cli", "-s", socket, "-e"] + parts, errors: .joined)
        guard outcome.status == 0 else {
            throw Failure(description: "\(parts.first ?? ""): \(outcome.text)")
        }
        return outcome.text.trimmingCharacters(in: .newlines)
    }

    /// Makes this server a replica of another one, and waits until it has the data.
    public func follow(_ primary: RedisServer) throws {
        try command("REPLICAOF", "127.0.0.1", "\(primary.port)")
        let end = Date(timeIntervalSinceNow: 20)
        while try !command("INFO", "replication").contains("master_link_status:up") {
            guard Date() < end else { throw Failure(description: "the replica does not follow") }
            usleep(2000)
        }
    }
}
