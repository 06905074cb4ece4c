// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers

/// The bound on what waits for one connection. It counts from the caller on, so that an event loop that is late does not
/// collect commands without bound.
final class RedisBacklog: Sendable {
    private let limits: RedisLimits
    private let used = NIOLockedValueBox((commands: 0, bytes: 0))

    init(_ limits: RedisLimits) { self.limits = limits }

    /// The number of commands that wait.
    var count: Int { used.withLockedValue(\.commands) }

    /// Adds a command.
    ///
    /// - Throws: ``SharedStateError/Code/overloaded``.
    func add(byteCount: Int) throws(SharedStateError) {
        let isAdded = used.withLockedValue { used in
            guard used.commands < limits.waitingCommands, byteCount <= limits.waitingByteCount - used.bytes
            else {
                return false
            }
            used.commands += 1
            used.bytes += byteCount
            return true
        }
        guard isAdded else { throw SharedStateError(.overloaded) }
    }

    /// Removes a command that was answered or not sent.
    func remove(byteCount: Int) {
        used.withLockedValue { used in
            used.commands -= 1
            used.bytes -= byteCount
        }
    }
}
