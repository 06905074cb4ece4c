// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTesting
import Foundation
import HTTPTypes
import RequestLoad

/// Measures the cache of a session: beside the caches of Python's HTTP clients, beside reading a file, with many stored
/// responses; and what a stage costs that a request passes.
struct CacheComparisons {
    /// How many files are read in turn. All of them fit into the folder of a session.
    private static let fileCount = 64

    private let server: WebServer
    private let folder: CacheFiles

    static func measure(_ options: Options) throws -> [Outcome] {
        let server = try WebServer()
        let folder = try CacheFiles()
        defer { folder.remove() }
        let comparisons = CacheComparisons(server: server, folder: folder)
        return try [comparisons.memory(options)]
            + [1 << 10, 16 << 10, 256 << 10].flatMap { try comparisons.disk($0) }
            + [comparisons.opening(), comparisons.stages()]
    }

    /// A response that is stored in memory: elapsed time, beside the processor time of the others.
    private func memory(_ options: Options) throws -> Outcome {
        let url = (server.urls["http"] ?? "") + "/fresh"
        let size = WebServer.data.utf8.count
        let python = try CoProcess("python", [options.python, options.pythonCacheWorker, url])
        let session = try folder.session(transport: CurlTransport(.init()), server: server.urls["http"] ?? "")
        let endpoint = Endpoint<[UInt8]>.get("/fresh")
        try Self.store(endpoint, of: session)
        let ours = "LoginSession"
        return try Comparison(
            id: "cache-memory",
            title: "A stored response of \(size) bytes, from memory",
            contenders: [
                Contender(name: ours) { try Self.sample(session, endpoint, count: 10_000) }
            ]
                + ["hishel", "requests-cache"].map { name in
                    Contender(name: name) {
                        let seconds = try python.seconds(name, size: size, iterations: 300) / 300
                        return Sample(seconds: seconds, processorSeconds: seconds)
                    }
                },
            claims: [
                .speed("cache-memory-hishel", ours, "hishel", atLeast: 5),
                .speed("cache-memory-requests-cache", ours, "requests-cache", atLeast: 5),
            ],
            rounds: 11
        ).measure()
    }

    /// Responses that are stored on disk, encrypted, beside the same files read bare: from the disk itself, and from the
    /// memory that the system keeps of them.
    ///
    /// Both contenders read all files in the same order, one after another, on a thread of the same kind. If each call from the disk were
    /// measured on its own, after the file was dropped, the time would also be that of a processor whose caches hold
    /// other code; it grows with the code of a contender, and not with its disk access.
    private func disk(_ size: Int) throws -> [Outcome] {
        let session = try folder.session(transport: Self.transport(size), memory: .bytes(0))
        let endpoints = (0..<Self.fileCount).map { Endpoint<[UInt8]>.get("/\($0)") }
        // In the order of the calls: the disk may be faster in one order than in another.
        let files = try endpoints.reduce(into: [BareFile]()) { files, endpoint in
            try Self.store(endpoint, of: session)
            files.append(try folder.newFile(besides: files))
        }
        let (ours, bare) = ("LoginSession, encrypted", "open and read a bare file")
        return try [true, false].map { isCold in
            let name = "cache-disk-\(size >> 10)-\(isCold ? "cold" : "warm")"
            let prepare = { @Sendable in
                if isCold { for file in files { try file.dropFromMemory() } }
            }
            return try Comparison(
                id: name,
                title:
                    "A stored response of \(size >> 10) KiB from \(isCold ? "the disk" : "the system's memory")",
                contenders: [
                    Contender(name: ours) {
                        try Self.sample(count: Self.fileCount, after: prepare) {
                            for endpoint in endpoints { _ = try await session.value(of: endpoint) }
                        }
                    },
                    Contender(name: bare) {
                        try Self.sample(count: Self.fileCount, after: prepare) {
                            for file in files { try file.read() }
                        }
                    },
                ],
                claims: [.speed(name, ours, bare, atLeast: isCold ? 0.7 : nil)],
                rounds: 31
            ).measure()
        }
    }

    /// The first response of a new session whose folder has 10,000 files.
    private func opening() throws -> Outcome {
        let count = 10_000
        let keychain = Keychain(store: InMemoryStore())
        let open = { try folder.session(transport: Self.transport(1 << 10), disk: .mebibytes(64), keychain) }
        let first = try open()
        try Blocking.run {
            for number in 0..<count {
                _ = try await first.value(of: Endpoint<[UInt8]>.get("/\(number)"))
                // The files follow on a thread of their own, with a limit.
                if number % 1000 == 999 { try await first.flush() }
            }
            let sizes = try await first.cachedByteCounts()
            guard sizes.disk > count << 10 else { throw Failure(description: "files are missing") }
        }
        let times = try (0..<21).map { number in
            try clocked {
                let session = try open()
                try Blocking.run {
                    let endpoint = Endpoint<[UInt8]>.get("/\(number * 7)")
                    let response = try await session.send(endpoint)
                    guard response.cacheUse == .stored else {
                        throw Failure(description: "the response is not stored")
                    }
                }
                return 0
            }.seconds
        }
        return Outcome(
            id: "cache-opening",
            title: "A new session with \(count) stored responses, until the first",
            rows: [Outcome.Row(name: "LoginSession", seconds: times)],
            ratios: [
                .value(
                    "cache-opening",
                    Spread(times).median * 1e3,
                    .milliseconds,
                    "LoginSession",
                    against: "a limit",
                    goal: .atMost(50)
                )
            ]
        )
    }

    /// What the stages cost that do nothing, by 20 more of them than one.
    private func stages() throws -> Outcome {
        let url = server.urls["http"] ?? ""
        let (few, many) = ("a request with one stage more", "a request with 21 stages more")
        let endpoint = Endpoint<[UInt8]>.get("/data").setting(\.duplicates, to: .allow)
        let contenders = try [(few, 1), (many, 21)].map { name, count in
            let session = try folder.session(
                transport: CurlTransport(.init()),
                server: url,
                stages: count
            )
            return Contender(name: name) { try Self.sample(session, endpoint, count: 2000) }
        }
        var outcome = try Comparison(
            id: "stages",
            title: "A request over http, and the stages that it passes",
            contenders: contenders,
            claims: [.processorTime("stages-20", many, few, atMost: nil)],
            rounds: 21
        ).measure()
        let medians = outcome.rows.map(\.seconds.median)
        // Those of a session: duplicates, renewal, redirects, credentials, cache.
        let five = (medians[1] - medians[0]) / 20 * 5
        outcome.ratios.append(
            .value(
                "stages",
                max(0, five) / medians[0] * 100,
                .percent,
                "five stages",
                against: "a request",
                goal: .atMost(3)
            )
        )
        return outcome
    }

    /// Gets a response, and checks that it comes from the cache from now on.
    private static func store(_ endpoint: Endpoint<[UInt8]>, of session: LoginSession) throws {
        let use = try Blocking.run {
            _ = try await session.value(of: endpoint)
            try await session.flush()
            return try await session.send(endpoint).cacheUse
        }
        guard use == .stored else { throw Failure(description: "the response is not stored") }
    }

    private static func sample(
        _ session: LoginSession,
        _ endpoint: Endpoint<[UInt8]>,
        count: Int
    ) throws -> Sample {
        try sample(count: count, after: {}) {
            for _ in 0..<count { _ = try await session.value(of: endpoint) }
        }
    }

    /// The time of one of several calls. The thread that waits for them is not part of it.
    private static func sample(
        count: Int,
        after prepare: @escaping @Sendable () throws -> Void,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws -> Sample {
        try Blocking.run {
            try prepare()
            let processor = RequestLoad.processorNanoseconds
            let start = ContinuousClock.now
            try await body()
            let seconds = start.duration(to: .now) / .seconds(1)
            let processorSeconds = Double(RequestLoad.processorNanoseconds - processor) / 1e9
            return Sample(
                seconds: seconds / Double(count),
                processorSeconds: processorSeconds / Double(count)
            )
        }
    }

    private static func transport(_ size: Int) -> ScriptedTransport {
        let body = [UInt8](repeating: 120, count: size)
        return ScriptedTransport { request in
            // The challenge and the login.
            if request.head.path?.contains(".php") ?? false {
                return .json(#"{"key":"any text","userId":1}"#)
                    .addingHeader("Set-Cookie", "sid=0123456789abcdef")
            }
            return .response(.ok, headers: [.cacheControl: "max-age=600"], body: HTTPResponseBody(body))
        }
    }
}
