// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import NIOConcurrencyHelpers
import HTTPTypes

/// Whether the server should get requests: it serves, and all of its checks pass.
final class ServerHealth: Sendable {
    /// What the server is doing.
    enum Phase: String, Sendable {
        case starting
        case serving
        /// Running requests are completed, and no new ones should come.
        case draining
    }

    /// The answer to whether the server is ready.
    struct Status: Sendable, Equatable {
        let phase: Phase
        /// The names of the checks that failed.
        let failed: [String]

        var isReady: Bool { phase == .serving && failed.isEmpty }
    }

    private struct State: Sendable {
        var phase = Phase.starting
        /// The checks that run, or ran last, and since when.
        var latest: (task: Task<[String], Never>, start: ContinuousClock.Instant)?
    }

    private let checks: [ReadinessCheck]
    private let timeout: Duration
    private let lifetime: Duration
    private let state = NIOLockedValueBox(State())

    /// Creates the health of a server that is starting.
    ///
    /// - Parameters:
    ///   - checks: The checks, which run at the same time.
    ///   - timeout: The time after which a check has failed.
    ///   - lifetime: How long a result is given again. Anyone can ask, and must not cause load in a store.
    init(
        checks: [ReadinessCheck] = [],
        timeout: Duration = .seconds(2),
        lifetime: Duration = .seconds(1)
    ) {
        self.checks = checks
        self.timeout = timeout
        self.lifetime = lifetime
    }

    /// What the server is doing.
    var phase: Phase { state.withLockedValue { $0.phase } }

    /// Begins a phase. Draining is the last one.
    func begin(_ phase: Phase) {
        state.withLockedValue { state in
            if state.phase != .draining { state.phase = phase }
        }
    }

    /// Returns whether the server is ready. Runs the checks, unless they ran a moment ago.
    func status() async -> Status {
        let phase = self.phase
        guard phase == .serving else { return Status(phase: phase, failed: []) }
        let task = state.withLockedValue { state in
            if let latest = state.latest, .now - latest.start < max(lifetime, .zero) { return latest.task }
            let task = Task { [checks, timeout] in await Self.failures(of: checks, within: timeout) }
            state.latest = (task, .now)
            return task
        }
        let failed = await task.value
        return Status(phase: self.phase, failed: failed)
    }

    /// Returns the names of the checks that failed, in the order of the checks.
    private static func failures(of checks: [ReadinessCheck], within timeout: Duration) async -> [String] {
        await withTaskGroup(of: Int?.self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { await passes(check, within: timeout) ? nil : index }
            }
            var failed: [Int] = []
            for await index in group { if let index { failed.append(index) } }
            return failed.sorted().map { checks[$0].name }
        }
    }

    /// Returns whether a check passes in time. One that ignores its cancellation is left behind.
    private static func passes(_ check: ReadinessCheck, within timeout: Duration) async -> Bool {
        let (results, result) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        let run = Task {
            do {
                try await check.run()
                result.yield(true)
            } catch {
                result.yield(false)
            }
        }
        let timer = Task {
            try? await Task.sleep(for: timeout)
            result.yield(false)
        }
        defer {
            run.cancel()
            timer.cancel()
        }
        for await passed in results { return passed }
        return false
    }
}

extension ServerHealth {
    private struct Report: Encodable {
        let status: String
        var failed: [String]?
    }

    /// Returns the answer to a request of `/health/live` or `/health/ready`; `nil` for any other path.
    func answer(to method: HTTPRequest.Method, _ path: String) async -> ServerAnswer? {
        switch path {
        case "/health/live":
            guard method == .get || method == .head else { return LoginServer.wrongMethod("GET") }
            return .json(Report(status: "live"))
        case "/health/ready":
            guard method == .get || method == .head else { return LoginServer.wrongMethod("GET") }
            let status = await self.status()
            guard !status.isReady else { return .json(Report(status: "ready")) }
            let word = status.phase == .serving ? "failing" : status.phase.rawValue
            return .json(
                Report(status: word, failed: status.failed.isEmpty ? nil : status.failed),
                status: .serviceUnavailable
            )
        default: return nil
        }
    }
}

/// A condition without which the server cannot log users in, such as a connection to a store.
struct ReadinessCheck: Sendable {
    /// What is checked, for the answer and the log. It must not contain anything secret.
    let name: String

    /// Throws if the condition is not met. It should end when its task is cancelled.
    let run: @Sendable () async throws -> Void

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - name: What is checked, for the answer and the log.
    ///   - run: Throws if the condition is not met.
    init(_ name: String, run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}
