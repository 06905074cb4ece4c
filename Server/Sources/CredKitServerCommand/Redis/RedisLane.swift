// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers
import NIOCore

/// The connection of one event loop, and its replacement after it is lost.
final class RedisLane: Sendable {
    private struct State {
        var connection: RedisConnection?
        /// Why there is no connection.
        var failure = SharedStateError(.disconnected)
        /// Whether a script succeeded since the last attempt to connect.
        var hasSucceeded = false
        var isStopped = false
    }

    /// The event loop of the connection.
    let loop: any EventLoop
    private let settings: RedisSettings
    private let limits: RedisLimits
    private let state = NIOLockedValueBox(State())

    init(on loop: any EventLoop, _ settings: RedisSettings, _ limits: RedisLimits) {
        self.loop = loop
        self.settings = settings
        self.limits = limits
    }

    /// The connection, or the reason why there is none.
    var connection: Result<RedisConnection, SharedStateError> {
        state.withLockedValue { state in state.connection.map { .success($0) } ?? .failure(state.failure) }
    }

    /// Connects once.
    ///
    /// - Throws: Why there is no usable server.
    func connect() async throws(SharedStateError) {
        do throws(SharedStateError) {
            let connection = try await RedisServerSearch(settings, limits, loop).connect()
            let isStopped = state.withLockedValue { state in
                if !state.isStopped { state.connection = connection }
                return state.isStopped
            }
            if isStopped { connection.close() }
        } catch {
            state.withLockedValue { $0.failure = error }
            throw error
        }
    }

    /// Keeps up a connection until the task is cancelled.
    func maintain() async {
        var delay = limits.retryDelays.lowerBound
        while !Task.isCancelled {
            if let connection = state.withLockedValue(\.connection) {
                await connection.closed()
                lose(connection, because: SharedStateError(.disconnected))
                if state.withLockedValue(\.hasSucceeded) { delay = limits.retryDelays.lowerBound }
            }
            // Servers that lost the same connection do not all come back at once.
            let nanoseconds = Double(delay.nanoseconds) * Double.random(in: 0.5...1)
            guard (try? await Task.sleep(for: .nanoseconds(Int64(nanoseconds)))) != nil else { return }
            state.withLockedValue { $0.hasSucceeded = false }
            delay = min(delay * 2, limits.retryDelays.upperBound)
            do throws(SharedStateError) {
                try await connect()
            } catch  where [.loginFailed, .notPermitted, .untrustedServer].contains(error.code) {
                delay = max(delay, limits.refusedDelay)
            } catch {}
        }
    }

    /// Notes that the connection is of use.
    func noteSuccess() { state.withLockedValue { $0.hasSucceeded = true } }

    /// Replaces a connection whose server cannot run scripts. Its present commands get their replies.
    func abandon(_ connection: RedisConnection, because error: SharedStateError) {
        lose(connection, because: error)
        connection.drain(because: error)
    }

    /// Closes the connection for good.
    func stop() {
        let connection = state.withLockedValue { state in
            state.isStopped = true
            defer { state.connection = nil }
            return state.connection
        }
        connection?.close()
    }

    private func lose(_ connection: RedisConnection, because error: SharedStateError) {
        state.withLockedValue { state in
            guard state.connection === connection else { return }
            state.connection = nil
            state.failure = error
        }
    }
}
