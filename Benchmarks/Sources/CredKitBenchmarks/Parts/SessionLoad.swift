// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CredKitClient
import CredKitKeychain
import Foundation

/// Requests through a session that is logged in, beside the same requests through bare AsyncHTTPClient.
enum SessionLoad {
    private static let requestCount = 10_000
    private static let taskCount = 8
    /// A round takes each of them two thirds of a second; the median of 15 moves by 2 %.
    private static let rounds = 15

    static func measure() async throws -> Outcome {
        let server = try Server()
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"

        var time = LoginProfile.TimeText()
        time.format = .opaque
        let session = try LoginSession(
            server: url,
            profile: .timestamped(keyPhrase: "itheima", time: time),
            keychain: Keychain(store: InMemoryStore())
        )
        try await session.logIn(username: "alice", password: "secret")
        let endpoint = Endpoint<[UInt8]>.get("/data")

        // The same headers on the wire, and connections of the same kind.
        let client = HTTPClient(
            configuration: .init(timeout: .init(connect: .seconds(10), read: .seconds(15)))
        )
        var request = HTTPClientRequest(url: url + "/data")
        request.headers.add(name: "user-agent", value: "CredKit")
        request.headers.add(name: "cookie", value: "session=0123456789abcdef0123456789abcdef")
        request.headers.add(name: "x-auth-token", value: "fedcba9876543210fedcba9876543210")
        let bareRequest = request

        guard let expected = try await session.send(endpoint).body as [UInt8]?, !expected.isEmpty else {
            throw Failure(description: "the server answers nothing")
        }
        let ours = "LoginSession"
        let bare = "bare AsyncHTTPClient"
        let outcome = try Comparison(
            id: "session",
            title:
                "\(requestCount) requests through a session that is logged in, \(taskCount) at once, on loopback",
            contenders: [
                Contender(name: bare) {
                    try cost {
                        let response = try await client.execute(bareRequest, timeout: .seconds(30))
                        let body = try await response.body.collect(upTo: 1 << 20)
                        guard body.readableBytes == expected.count else {
                            throw Failure(description: "another answer")
                        }
                    }
                },
                Contender(name: ours) {
                    try cost {
                        guard try await session.send(endpoint).body.count == expected.count else {
                            throw Failure(description: "another answer")
                        }
                    }
                },
            ],
            claims: [
                .speed("session-speed", ours, bare, atLeast: 0.85),
                .processorTime("session-processor-time", ours, bare, atMost: 1.3),
            ],
            rounds: rounds
        ).measure()
        try await client.shutdown()
        return outcome
    }

    /// Makes all requests, several at once.
    private static func cost(_ request: @escaping @Sendable () async throws -> Void) throws -> Sample {
        let processor = processorSeconds()
        let start = ContinuousClock.now
        try Blocking.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<taskCount {
                    group.addTask { for _ in 0..<requestCount / taskCount { try await request() } }
                }
                try await group.waitForAll()
            }
        }
        return Sample(
            seconds: start.duration(to: .now) / .seconds(1),
            processorSeconds: processorSeconds() - processor
        )
    }

    /// The processor time of this process, all threads together.
    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The server, in a process of its own.
    private struct Server {
        let process = Process()
        let port: Int

        init() throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["loopback-server"]
            process.standardInput = Pipe()
            process.standardOutput = output
            try process.run()
            var line = ""
            while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
                line.unicodeScalars.append(Unicode.Scalar(byte))
            }
            guard let port = Int(line) else {
                throw Failure(description: "the server did not start")
            }
            self.port = port
        }

        func stop() { process.terminate() }
    }
}
