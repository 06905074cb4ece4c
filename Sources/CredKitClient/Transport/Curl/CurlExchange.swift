// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The state of one response that a task and the curl thread share: the task waits, the thread delivers.
///
/// The thread records received data and wakes the task once per iteration of its loop, so that a head and a
/// small body wake it together. Each continuation is removed from the state before it is resumed, so that it
/// is resumed exactly once.
final class CurlExchange: Sendable {
    /// The maximum number of body bytes that are buffered until they are read.
    static let maximumHeldByteCount = 1 << 20

    private struct State {
        var head: [UInt8]?
        var body: [UInt8] = []
        /// Set once, when nothing more will come. It contains `nil` for a complete response.
        var end: ClientError??
        var headWaiter: CheckedContinuation<Result<[UInt8], ClientError>, Never>?
        var bodyWaiter: CheckedContinuation<Result<[UInt8]?, ClientError>, Never>?
        /// Whether the thread has stopped reading because the buffer is full.
        var isPaused = false
    }

    private let state = Lock(State())

    // MARK: For the task

    /// Waits for the head. Returns `false` if the exchange has already ended; nothing needs to be started
    /// then.
    func waitForHead(_ waiter: CheckedContinuation<Result<[UInt8], ClientError>, Never>) -> Bool {
        let end = state.withLock { state -> ClientError?? in
            if state.end == nil { state.headWaiter = waiter }
            return state.end
        }
        guard let end else { return true }
        waiter.resume(returning: .failure(end ?? .cancelled))
        return false
    }

    /// Returns the whole body if the response is complete; `nil` otherwise.
    func takeWhole() -> [UInt8]? {
        state.withLock { state in
            guard case .some(.none) = state.end else { return nil }
            var bytes: [UInt8] = []
            swap(&bytes, &state.body)
            return bytes
        }
    }

    /// The result of reading from a body.
    enum Read {
        /// Bytes, `nil` at the end; and whether the thread must be told to continue.
        case bytes([UInt8]?, mustResume: Bool)
        case failure(ClientError)
        /// Nothing has been received yet.
        case nothing
    }

    /// Returns the received part of the body. If nothing has been received, a continuation is stored to wait
    /// for it.
    func read(_ waiter: CheckedContinuation<Result<[UInt8]?, ClientError>, Never>? = nil) -> Read {
        state.withLock { state in
            if !state.body.isEmpty {
                var bytes: [UInt8] = []
                swap(&bytes, &state.body)
                let mustResume = state.isPaused
                state.isPaused = false
                return .bytes(bytes, mustResume: mustResume)
            }
            switch state.end {
            case .some(.some(let error)): return .failure(error)
            case .some(.none): return .bytes(nil, mustResume: false)
            case .none:
                state.bodyWaiter = waiter
                return .nothing
            }
        }
    }

    /// Ends the exchange for the task, without waiting for the thread. Returns `false` if it had already ended.
    @discardableResult
    func cancel() -> Bool { end(.cancelled, dropsBody: true) }

    // MARK: For the thread

    /// Whether the exchange has ended, for example because the task has given up.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Whether the thread waits for the reader of the body.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Records the head.
    func receive(head: [UInt8]) { state.withLock { $0.head = head } }

    /// Records a part of the body. Returns `false` and records nothing if the buffer is full.
    func receive(body bytes: UnsafeRawBufferPointer, expecting capacity: Int) -> Bool {
        state.withLock { state in
            guard state.body.isEmpty || state.body.count + bytes.count <= Self.maximumHeldByteCount else {
                state.isPaused = true
                return false
            }
            if state.body.isEmpty { state.body.reserveCapacity(max(capacity, bytes.count)) }
            unsafe state.body.append(contentsOf: bytes)
            return true
        }
    }

    /// Wakes the task for received data. Returns whether the buffer has room again after it was full.
    @discardableResult
    func flush() -> Bool {
        let (head, body, hasRoom) = state.withLock { state in
            var head: (CheckedContinuation<Result<[UInt8], ClientError>, Never>, [UInt8])?
            var body: (CheckedContinuation<Result<[UInt8]?, ClientError>, Never>, [UInt8])?
            var hasRoom = false
            if let bytes = state.head, let waiter = state.headWaiter {
                state.headWaiter = nil
                state.head = nil
                head = (waiter, bytes)
            }
            if !state.body.isEmpty, let waiter = state.bodyWaiter {
                var bytes: [UInt8] = []
                swap(&bytes, &state.body)
                state.bodyWaiter = nil
                body = (waiter, bytes)
                hasRoom = state.isPaused
                state.isPaused = false
            }
            return (head, body, hasRoom)
        }
        if let (waiter, bytes) = head { waiter.resume(returning: .success(bytes)) }
        if let (waiter, bytes) = body { waiter.resume(returning: .success(bytes)) }
        return hasRoom
    }

    /// Ends the exchange with an error or with a complete response.
    @discardableResult
    func end(_ error: ClientError?, dropsBody: Bool = false) -> Bool {
        let (isFirst, headWaiter, head, bodyWaiter) = state.withLock { state in
            guard state.end == nil else { return (false, nil, nil, nil) as Ending }
            state.end = .some(error)
            if dropsBody { state.body = [] }
            let ending =
                (true, state.headWaiter, state.head, state.body.isEmpty ? state.bodyWaiter : nil) as Ending
            state.headWaiter = nil
            state.head = nil
            if state.body.isEmpty { state.bodyWaiter = nil }
            return ending
        }
        guard isFirst else { return false }
        if let headWaiter {
            // A response that fails after its head reports the failure when its body is read.
            headWaiter.resume(
                returning: !dropsBody && head != nil ? .success(head ?? []) : .failure(error ?? .noResponse)
            )
        }
        bodyWaiter?.resume(returning: error.map { .failure($0) } ?? .success(nil))
        flush()
        return true
    }

    private typealias Ending = (
        Bool, CheckedContinuation<Result<[UInt8], ClientError>, Never>?, [UInt8]?,
        CheckedContinuation<Result<[UInt8]?, ClientError>, Never>?
    )
}
