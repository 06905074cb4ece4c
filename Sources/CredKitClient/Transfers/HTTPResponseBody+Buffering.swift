// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPResponseBody {
    /// Returns the same body after reading its beginning: all of it, if it is not larger than a limit.
    ///
    /// - Parameters:
    ///   - limit: How many bytes to read at most, plus one piece.
    ///   - deadline: The end of the time for reading them.
    ///   - isOfInterest: Whether to go on, after the first piece.
    /// - Returns: The body, whose `bytes` are known if it ended within the limit.
    /// - Throws: The errors of reading it, `timedOut`.
    func buffering(
        upTo limit: Int,
        deadline: ContinuousClock.Instant,
        _ isOfInterest: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(ClientError) -> HTTPResponseBody {
        if bytes != nil { return self }
        let reader = HTTPBodyReader(makeAsyncIterator())
        let (start, isWhole) = try await RequestDeadline.run(until: deadline) {
            () async throws(ClientError) -> ([UInt8], Bool) in
            var start: [UInt8] = []
            while start.count <= limit {
                guard let piece = try await reader.next() else { return (start, true) }
                start += piece
                guard isOfInterest(start) else { break }
            }
            return (start, false)
        }
        if isWhole { return HTTPResponseBody(start) }
        return HTTPResponseBody {
            var first: [UInt8]? = start
            return AsyncIterator { () async throws(ClientError) in
                guard let bytes = first else { return try await reader.next() }
                first = nil
                return bytes
            }
        }
    }
}

/// An iterator that several tasks use, one at a time: each piece is awaited before the next one is requested.
final class HTTPBodyReader: @unchecked Sendable {
    private var iterator: HTTPResponseBody.AsyncIterator

    init(_ iterator: HTTPResponseBody.AsyncIterator) { self.iterator = iterator }

    func next() async throws(ClientError) -> [UInt8]? { try await iterator.next() }
}
