// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension ResponseBody {
    /// Returns the same body, but reading it after an instant fails with `timedOut`.
    func ending(at deadline: ContinuousClock.Instant) -> ResponseBody {
        ResponseBody {
            let reader = Reader(self.makeAsyncIterator())
            return AsyncIterator { () async throws(LoginError) in
                try await DeadlineWatch.shared.run(until: deadline) { () async throws(LoginError) in
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

        func next() async throws(LoginError) -> [UInt8]? { try await iterator.next() }
    }
}
