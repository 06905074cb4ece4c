// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import CredKitClient
import CredKitKeychain
import Foundation

/// Requests through a session that is logged in, beside the same requests through bare AsyncHTTPClient.
enum SessionLoad {
    /// What one round took.
    private struct Cost {
        var seconds: Double
        var processorSeconds: Double
    }

    private static let requestCount = 10_000
    private static let taskCount = 8
    private static let rounds = 15

    static func run() async throws -> Bool {
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

        var ours: [Cost] = []
        var bare: [Cost] = []
        for round in 0...rounds {
            let bareCost = try await cost {
                let response = try await client.execute(bareRequest, timeout: .seconds(30))
                _ = try await response.body.collect(upTo: 1 << 20)
            }
            let ourCost = try await cost { _ = try await session.send(endpoint).body }
            // The first round only warms up.
            if round > 0 {
                bare.append(bareCost)
                ours.append(ourCost)
            }
        }
        try await client.shutdown()

        func perSecond(_ costs: [Cost]) -> Double {
            Double(requestCount) / Spread(costs.map(\.seconds)).median
        }
        func microseconds(_ costs: [Cost]) -> Double {
            Spread(costs.map(\.processorSeconds)).median * 1e6 / Double(requestCount)
        }
        let speed = Spread(zip(bare, ours).map { $0.seconds / $1.seconds }).median
        let work = Spread(zip(ours, bare).map { $0.processorSeconds / $1.processorSeconds }).median
        print("Requests through a session that is logged in, \(taskCount) at once, on loopback")
        print(
            String(
                format: "  %8.0f a second, %5.1f µs of processor time each  LoginSession",
                perSecond(ours),
                microseconds(ours)
            )
        )
        print(
            String(
                format: "  %8.0f a second, %5.1f µs of processor time each  bare AsyncHTTPClient",
                perSecond(bare),
                microseconds(bare)
            )
        )
        print(String(format: "  %.2f x its speed; claimed: 0.85%@", speed, speed >= 0.85 ? "" : "  MISSED"))
        print(
            String(
                format: "  %.2f x its processor time; claimed: at most 1.30%@\n",
                work,
                work <= 1.3 ? "" : "  MISSED"
            )
        )
        return speed >= 0.85 && work <= 1.3
    }

    /// Makes all requests, several at once.
    private static func cost(_ request: @escaping @Sendable () async throws -> Void) async throws -> Cost {
        let processor = processorSeconds()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<taskCount {
                group.addTask { for _ in 0..<requestCount / taskCount { try await request() } }
            }
            try await group.waitForAll()
        }
        return Cost(
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
                throw CommandRun.Failure(description: "the server did not start")
            }
            self.port = port
        }

        func stop() { process.terminate() }
    }
}
