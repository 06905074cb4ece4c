// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import Glibc

/// Frees the curl thread from a peer that keeps it busy.
///
/// libcurl reads an HTTP/2 connection until nothing is left to read. A peer that sends frames as fast as they are read, none
/// of which is an answer, would hold the thread, and with it every transfer of the process. The connection is shut down when
/// the thread has computed on one call for two tenths of a second; what goes over it ends with an error.
final class CurlGuard: Sendable {
    private struct State {
        /// The thread's clock of processor time.
        var clock: clockid_t?
        /// Numbers the calls into libcurl; `nil` between them.
        var call: UInt64?
        var lastCall: UInt64 = 0
        /// The set of connections, and the socket if one is known, that the call is about.
        var multi: UInt32 = 0
        var descriptor: Int32 = -1
        /// The sockets of each set.
        var sockets: [Int32: UInt32] = [:]
        var isWatching = false
        /// Whether calls may read HTTP/2.
        var isNeeded = false
    }

    /// So much processor time on one call is too much, as seen by looks at this distance.
    private static let maximumTime = Duration.milliseconds(150)
    private static let distance = Duration.milliseconds(100)
    private let state = Lock(State())

    // MARK: For the curl thread

    /// Note the clock of the calling thread.
    func enter() {
        var clock = clockid_t()
        let isKnown = unsafe pthread_getcpuclockid(pthread_self(), &clock) == 0
        state.withLock { $0.clock = isKnown ? clock : nil }
    }

    /// A call into libcurl begins.
    func begin(_ multi: UInt32, _ descriptor: Int32) {
        let mustWatch = state.withLock { state in
            state.lastCall &+= 1
            state.call = state.lastCall
            state.multi = multi
            state.descriptor = descriptor
            state.isNeeded = true
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if mustWatch { Task.detached { await self.watch() } }
    }

    /// It has ended.
    func end() { state.withLock { $0.call = nil } }

    /// A socket belongs to a set of connections; to none before it is closed.
    func note(_ descriptor: Int32, of multi: UInt32?) { state.withLock { $0.sockets[descriptor] = multi } }

    // MARK: The watch

    /// Look at the thread again and again, until nothing has happened between two looks.
    private func watch() async {
        var last: (call: UInt64?, time: Duration) = (nil, .zero)
        while true {
            try? await Task.sleep(for: Self.distance)
            let seen = state.withLock { state -> (call: UInt64?, time: Duration)? in
                let time = state.clock.map { Self.time(of: $0) } ?? .zero
                if let call = state.call {
                    if call == last.call, time - last.time >= Self.maximumTime { Self.shutDown(state) }
                } else if !state.isNeeded {
                    state.isWatching = false
                    return nil
                }
                state.isNeeded = false
                // Of a call that goes on, the time counts from the first look at it.
                return (state.call, state.call != nil && state.call == last.call ? last.time : time)
            }
            guard let seen else { return }
            last = seen
        }
    }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Under the lock, so that no descriptor is closed and used for something else meanwhile.
    private static func shutDown(_ state: State) {
        for (descriptor, multi) in state.sockets where multi == state.multi {
            if state.descriptor < 0 || state.descriptor == descriptor {
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }
}
