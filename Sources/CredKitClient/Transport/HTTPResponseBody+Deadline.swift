// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPResponseBody {
    /// Returns the same body, but reading it after an instant fails with `timedOut`.
    func ending(at deadline: ContinuousClock.Instant) -> HTTPResponseBody {
        HTTPResponseBody {
            let reader = HTTPBodyReader(self.makeAsyncIterator())
            return AsyncIterator { () async throws(ClientError) in
                try await DeadlineWatch.shared.run(until: deadline) { () async throws(ClientError) in
                    try await reader.next()
                }
            }
        }
    }
}
