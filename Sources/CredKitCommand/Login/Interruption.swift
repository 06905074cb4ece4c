// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Glibc

/// Ctrl-C, and other ways to end a program, while it waits for a server: what is under way is cancelled, what
/// has come is kept, and the program ends then as it would have.
enum Interruption {
    private struct State {
        var signal: Int32?
        var isDone = false
    }

    /// How often somebody looks whether a signal has come, in microseconds.
    private static let pause: UInt32 = 20_000

    /// Runs `body`, cancelled when a signal comes, and `after` in any case. A signal during `after` ends the
    /// program at once.
    static func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        after: () async throws -> Void
    ) async throws -> Value {
        let state = Lock(State())
        let task = Task { try await body() }
        let signals = NotedSignals([SIGINT, SIGTERM, SIGHUP])
        let isWatched = DetachedThread.start {
            while !state.withLock({ $0.isDone }) {
                if let signal = NotedSignals.take() {
                    state.withLock { $0.signal = signal }
                    return task.cancel()
                }
                usleep(pause)
            }
        }
        let result: Result<Value, any Error>
        if isWatched {
            result = await task.result
            state.withLock { $0.isDone = true }
            signals.restore()
        } else {
            signals.restore()
            result = await task.result
        }
        do {
            try await after()
        } catch {
            // Of two errors the first says more.
            if case .success = result { throw error }
        }
        if let signal = state.withLock({ $0.signal }) ?? NotedSignals.take() { raise(signal) }
        return try result.get()
    }
}
