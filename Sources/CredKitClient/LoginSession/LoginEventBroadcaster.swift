// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Sends each event to all listeners.
final class LoginEventBroadcaster: Sendable {
    private struct State {
        var next = 0
        var listeners: [Int: AsyncStream<LoginEvent>.Continuation] = [:]
    }

    /// The maximum number of buffered events per listener; older ones are dropped.
    private static let bufferCount = 256

    private let state = Lock(State())

    deinit { state.withLock { for listener in $0.listeners.values { listener.finish() } } }

    func stream() -> AsyncStream<LoginEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LoginEvent.self,
            bufferingPolicy: .bufferingNewest(Self.bufferCount)
        )
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ event: LoginEvent) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(event) }
    }
}
