// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKitClient
import Foundation
import RequestLoad

/// Compares requests through a logged-in session with the same requests through AsyncHTTPClient and through libcurl in
/// C: over http, https and HTTP/2, sequential and concurrent. Each contender runs in a separate process.
struct SessionLoad {
    /// A kind of connection, and the number of concurrent tasks.
    private struct Setting {
        let scheme: String
        let taskCount: Int
        let isClaimed: Bool
        var name: String { "\(scheme)-\(taskCount)" }
        /// A sample takes each of them 0.2 to 0.6 s.
        var requestCount: Int { taskCount == 1 ? 3000 : 6000 }
    }

    private static let settings = [
        Setting(scheme: "http", taskCount: 1, isClaimed: true),
        Setting(scheme: "http", taskCount: 8, isClaimed: true),
        Setting(scheme: "http", taskCount: 64, isClaimed: true),
        Setting(scheme: "https", taskCount: 1, isClaimed: true),
        Setting(scheme: "https", taskCount: 8, isClaimed: true),
        Setting(scheme: "https", taskCount: 64, isClaimed: true),
        Setting(scheme: "http2", taskCount: 8, isClaimed: false),
        Setting(scheme: "http2", taskCount: 64, isClaimed: false),
    ]
    private static let rounds = 11
    /// The connection limit per host of a session and of AsyncHTTPClient.
    private static let connectionCount = 8

    private let server: WebServer
    private let session: CoProcess
    private let client: CoProcess
    private let byteCount: Int

    static func measure() throws -> [Outcome] {
        let server = try WebServer()
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let arguments = [server.certificates] + server.urls.map { "\($0)=\($1)" }
        let load = try SessionLoad(
            server: server,
            session: CoProcess(
                "LoginSession",
                [programs.appendingPathComponent("CredKitBenchmarks").path, "requests"] + arguments
            ),
            client: CoProcess(
                "AsyncHTTPClient",
                [programs.appendingPathComponent("AsyncHTTPClientProgram").path] + arguments
            ),
            byteCount: WebServer.data.utf8.count
        )
        return try settings.map { try load.measure($0) }
    }

    private func measure(_ setting: Setting) throws -> Outcome {
        let ours = "LoginSession"
        let bare = "bare AsyncHTTPClient"
        let over = "LoginSession over AsyncHTTPClient"
        let c = "libcurl in C"
        let requests = try LibcurlRequests(
            url: (server.urls[setting.scheme] ?? "") + "/data",
            certificates: server.certificates,
            parallelCount: min(setting.taskCount, setting.scheme == "http2" ? 64 : Self.connectionCount)
        )
        let name = "session-\(setting.name)"
        return try Comparison(
            id: name,
            title: "\(setting.requestCount) requests over \(setting.scheme), \(setting.taskCount) at once",
            contenders: [
                Contender(name: bare) { try sample(client, "bare", setting) },
                Contender(name: ours) { try sample(session, "session", setting) },
                Contender(name: over) { try sample(client, "session", setting) },
                Contender(name: c) {
                    try sample(try requests.run(setting.requestCount), setting, by: c)
                },
            ],
            claims: [
                .speed("\(name)-speed", ours, bare, atLeast: setting.isClaimed ? 1.2 : nil),
                .processorTime("\(name)-processor-time", ours, bare, atMost: setting.isClaimed ? 0.8 : nil),
                .speed("\(name)-speed-of-c", ours, c, atLeast: nil),
                .processorTime("\(name)-processor-time-of-c", ours, c, atMost: nil),
            ],
            rounds: Self.rounds
        ).measure()
    }

    private func sample(_ process: CoProcess, _ name: String, _ setting: Setting) throws -> Sample {
        let answer = try process.ask(
            "\(name) \(setting.scheme) \(setting.taskCount) \(setting.requestCount)"
        )
        return try sample(answer, setting, by: process.name)
    }

    /// A contender's answer about a run.
    private func sample(_ answer: String, _ setting: Setting, by name: String) throws -> Sample {
        let numbers = answer.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 3, numbers[2] == Double(byteCount * setting.requestCount) else {
            throw Failure(description: "\(name) returned unexpected responses: \(answer)")
        }
        return Sample(seconds: numbers[0] / 1e9, processorSeconds: numbers[1] / 1e9)
    }

    /// The program that sends requests through a session.
    static func serve(_ arguments: some Collection<String>) async throws {
        guard let certificates = arguments.first else {
            throw Failure(description: "'requests' needs certificates and servers")
        }
        let pairs = arguments.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let servers = Dictionary(pairs.map { ($0[0], $0.last ?? "") }) { $1 }
        let sessions = SessionRequests(servers: servers) {
            try CurlTransport(.init(connection: .trusting(certificates)))
        }
        // Each request is sent, as with the clients beside it.
        let endpoint = Endpoint<[UInt8]>.get("/data").setting(\.duplicates, to: .allow)
        await RequestLoad.answer { _, scheme, load in
            let session = try await sessions.session(scheme)
            return try await load.run { try await session.value(of: endpoint).count }
        }
    }
}

extension ConnectionSettings {
    /// Returns settings that trust the certificates in a file.
    static func trusting(_ certificates: String) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.trustedCertificates = .file(certificates)
        return settings
    }
}

/// libcurl in C, in this process.
private final class LibcurlRequests {
    private let requests: OpaquePointer

    init(url: String, certificates: String, parallelCount: Int) throws {
        let headers = [
            "User-Agent: \(RequestLoad.userAgent)", "Cookie: \(RequestLoad.cookie)",
            "X-Auth-Token: \(RequestLoad.token)", "Accept:",
        ]
        let texts = headers.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { UnsafePointer($0) } + [nil]
        guard let requests = baseline_requests_open(url, certificates, pointers, Int32(parallelCount)) else {
            throw Failure(description: "libcurl cannot be set up")
        }
        self.requests = requests
    }

    deinit { baseline_requests_close(requests) }

    func run(_ count: Int) throws -> String {
        let processor = RequestLoad.processorNanoseconds
        let start = ContinuousClock.now
        let byteCount = baseline_requests_run(requests, Int32(count))
        guard byteCount >= 0 else { throw Failure(description: "a request through libcurl failed") }
        let nanoseconds = start.duration(to: .now) / .nanoseconds(1)
        return "\(Int(nanoseconds)) \(RequestLoad.processorNanoseconds - processor) \(byteCount)"
    }
}
