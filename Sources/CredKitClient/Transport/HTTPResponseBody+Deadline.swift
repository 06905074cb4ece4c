// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPResponseBody {
    /// Returns the same body, but reading it after an instant fails with `timedOut`.
    func ending(at deadline: ContinuousClock.Instant) -> HTTPResponseBody {
        HTTPResponseBody {
            let reader = Reader(self.makeAsyncIterator())
            return AsyncIterator { () async throws(ClientError) in
                try await DeadlineWatch.shared.run(until: deadline) { () async throws(ClientError) in
                    try await reader.next()
                }
            }
        }
    }

    /// An iterator that several tasks use, one at a time: each piece is awaited before the next one is
    /// requested.
    private final class Reader: @unchecked Sendable {
        private var iterator: AsyncIterator

        init(_ iterator: AsyncIterator) { self.iterator = iterator }

        func next() async throws(ClientError) -> [UInt8]? { try await iterator.next() }
    }
}
