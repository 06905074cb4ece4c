// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import NIOConcurrencyHelpers
import NIOCore

/// A command that its caller awaits.
///
/// The caller is resumed once: by the reply, the deadline, its cancellation, or the end of the connection. A command that was
/// abandoned remains in the connection's queue as a tombstone, since its reply still comes and must not reach another caller.
final class RedisCall: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<RESPReply, any Error>)
        /// Abandoned by its caller at that time.
        case abandoned(NIODeadline)
        case answered
    }

    /// The command as it is sent.
    let bytes: ByteBuffer
    let deadline: NIODeadline
    private let state = NIOLockedValueBox(State.new)

    init(_ bytes: [UInt8], deadline: NIODeadline) {
        self.bytes = ByteBuffer(bytes: bytes)
        self.deadline = deadline
    }

    /// When the caller abandoned the command; `nil` if it has not.
    var abandonedAt: NIODeadline? {
        state.withLockedValue { state in
            guard case .abandoned(let time) = state else { return nil }
            return time
        }
    }

    /// Waits for the reply to a command.
    ///
    /// - Parameter send: Passes the command to its connection. It is called even if the command was abandoned before.
    /// - Returns: The reply.
    /// - Throws: What ``fail(_:)`` is called with, and `CancellationError`.
    func reply(_ send: @Sendable () -> Void) async throws -> RESPReply {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isNew = state.withLockedValue { state in
                    guard case .new = state else { return false }
                    state = .waiting(continuation)
                    return true
                }
                if !isNew { continuation.resume(throwing: CancellationError()) }
                send()
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    /// Resumes the caller with the reply.
    ///
    /// - Returns: `false` if the command was abandoned.
    @discardableResult
    func succeed(_ reply: RESPReply) -> Bool {
        let continuation = state.withLockedValue { state -> CheckedContinuation<RESPReply, any Error>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .answered
            return continuation
        }
        continuation?.resume(returning: reply)
        return continuation != nil
    }

    /// Resumes the caller with an error. Afterwards the command is abandoned.
    func fail(_ error: any Error) {
        let continuation = state.withLockedValue { state -> CheckedContinuation<RESPReply, any Error>? in
            switch state {
            case .new:
                state = .abandoned(.now())
                return nil
            case .waiting(let continuation):
                state = .abandoned(.now())
                return continuation
            case .abandoned, .answered: return nil
            }
        }
        continuation?.resume(throwing: error)
    }
}
