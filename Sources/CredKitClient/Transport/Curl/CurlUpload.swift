// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The streamed body of a request, passed from the caller's stream to the curl thread, at most 1 MiB at a
/// time.
final class CurlUpload: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// How many bytes the thread has taken in total.
        var totalCount: Int64 = 0
        /// How many of them libcurl has sent.
        var sentCount: Int64 = 0
        /// How many bytes of `bytes` the thread has taken.
        var takenCount = 0
        var isWhole = false
        var failure: ClientError?
        /// Whether the thread found no bytes, and must be woken when there are some.
        var isStarved = false
        /// Waits until the thread has taken all bytes.
        var waiter: CheckedContinuation<Void, Never>?
        var isCancelled = false
    }

    private static let wrongByteCount = ClientError.invalidRequest(
        "the request body does not have its declared length"
    )

    /// The result of taking bytes.
    enum Part {
        case bytes(Int)
        case end
        case later
        case failure(ClientError)
    }

    /// The size of the stream in bytes; `nil` if it is unknown.
    let byteCount: Int64?
    private let stream: HTTPResponseBody
    private let state = Lock(State())

    init(_ stream: HTTPResponseBody, byteCount: Int64?) {
        self.stream = stream
        self.byteCount = byteCount
    }

    /// Whether the thread waits for the caller's stream.
    var isStarved: Bool { state.withLock { $0.isStarved } }

    /// Reads the stream to its end.
    ///
    /// - Parameter wake: Called when there are bytes for a waiting thread.
    func run(wake: @Sendable () -> Void) async {
        var iterator = stream.makeUnreportedIterator()
        let (reporter, state) = (stream.progress?.reporter, state)
        let attempt = reporter?.begin(of: byteCount) { _ in state.withLock { $0.sentCount } }
        var readCount: Int64 = 0
        while true {
            let piece: [UInt8]?
            reporter?.advance(to: state.withLock { $0.sentCount }, attempt: attempt)
            do throws(ClientError) {
                piece = try await iterator.next()
            } catch {
                return finish(error, wake)
            }
            guard let piece else { return finish(nil, wake) }
            // The server would read bytes beyond the declared length as another request.
            readCount += Int64(piece.count)
            if let byteCount, readCount > byteCount { return finish(Self.wrongByteCount, wake) }
            guard await give(piece, wake) else { return }
        }
    }

    private func finish(_ failure: ClientError?, _ wake: () -> Void) {
        let isStarved = state.withLock { state in
            state.isWhole = true
            state.failure = failure
            defer { state.isStarved = false }
            return state.isStarved
        }
        if isStarved { wake() }
    }

    /// Passes a piece to the thread in parts of at most 1 MiB, each after the previous one was taken. Returns
    /// whether more is wanted.
    private func give(_ piece: [UInt8], _ wake: () -> Void) async -> Bool {
        var rest = piece[...]
        while !rest.isEmpty {
            let part = rest.prefix(CurlExchange.maximumHeldByteCount)
            rest = rest.dropFirst(part.count)
            await withCheckedContinuation { waiter in
                let mayGoOn = state.withLock { state in
                    if state.bytes.isEmpty || state.isCancelled { return true }
                    state.waiter = waiter
                    return false
                }
                if mayGoOn { waiter.resume() }
            }
            let (isCancelled, isStarved) = state.withLock { state in
                if !state.isCancelled { state.bytes = Array(part) }
                defer { state.isStarved = false }
                return (state.isCancelled, state.isStarved)
            }
            if isCancelled { return false }
            if isStarved { wake() }
        }
        return true
    }

    /// Takes as many bytes as fit. Called by the thread.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Part {
        let (part, waiter) = state.withLock { state -> (Part, CheckedContinuation<Void, Never>?) in
            if let failure = state.failure { return (.failure(failure), nil) }
            guard !state.bytes.isEmpty else {
                if state.isWhole {
                    let isWhole = byteCount.map { $0 == state.totalCount } ?? true
                    return (isWhole ? .end : .failure(Self.wrongByteCount), nil)
                }
                state.isStarved = true
                return (.later, nil)
            }
            let available = state.bytes.count - state.takenCount
            // The last bytes wait until nothing follows them: since 8.7 libcurl does not ask whether more would.
            if !state.isWhole, byteCount == state.totalCount + Int64(available) {
                state.isStarved = true
                return (.later, nil)
            }
            let count = min(buffer.count, available)
            state.totalCount += Int64(count)
            let part = state.bytes[state.takenCount..<state.takenCount + count]
            unsafe buffer.copyBytes(from: part)
            state.takenCount += count
            guard state.takenCount == state.bytes.count else { return (.bytes(count), nil) }
            state.bytes = []
            state.takenCount = 0
            defer { state.waiter = nil }
            return (.bytes(count), state.waiter)
        }
        waiter?.resume()
        return part
    }

    /// Notes how many bytes libcurl has sent, with their framing. Called by the thread.
    func note(sent count: Int64) {
        state.withLock { $0.sentCount = max($0.sentCount, min(count, $0.totalCount)) }
    }

    /// Discards the rest of the stream. Called by the thread.
    func cancel() {
        let waiter = state.withLock { state in
            state.isCancelled = true
            state.bytes = []
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
