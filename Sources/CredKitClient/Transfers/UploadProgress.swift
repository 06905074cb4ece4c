// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Reports how far a body has been sent: an attempt for each reader.
struct UploadProgress: Sendable {
    private struct Count {
        var sent: Int64 = 0
        /// The size of the last piece, which the transport may not have sent yet.
        var held: Int64 = 0
        /// Whether the transport has taken all pieces.
        var isWhole = false
    }

    let reporter: ProgressReporter
    /// The size of the body in bytes; `nil` if it is unknown.
    let total: Int64?

    /// Returns the same pieces, for a transport that does not say what it has sent. It takes a piece while it sends the
    /// one before, which is therefore not counted yet.
    func reporting(_ iterator: HTTPResponseBody.AsyncIterator) -> HTTPResponseBody.AsyncIterator {
        let reader = HTTPBodyReader(iterator)
        let count = Lock(Count())
        let total = total
        let attempt = reporter.begin(of: total) { isAnswered in
            count.withLock { $0.sent + (isAnswered && $0.isWhole ? $0.held : 0) }
        }
        return HTTPResponseBody.AsyncIterator { [reporter] () async throws(ClientError) in
            reporter.advance(to: count.withLock { $0.sent }, attempt: attempt)
            let piece = try await reader.next()
            count.withLock { count in
                guard let piece else { return count.isWhole = true }
                count.sent += count.held
                count.held = Int64(piece.count)
                count.isWhole = count.sent + count.held == total
            }
            return piece
        }
    }
}
