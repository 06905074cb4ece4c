// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPResponseBody {
    /// Returns the same body, and calls a function with all of its bytes when it has been read to its end.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes. If there are more, the function is not called.
    ///   - isComplete: The function.
    /// - Returns: The body.
    func noting(
        upTo limit: Int,
        _ isComplete: @escaping @Sendable ([UInt8]) -> Void
    ) -> HTTPResponseBody {
        var body = HTTPResponseBody {
            let reader = Reader(self.makeAsyncIterator())
            return AsyncIterator { () async throws(ClientError) in
                let piece = try await reader.next(limit)
                if piece == nil, let bytes = reader.takeAll() { isComplete(bytes) }
                return piece
            }
        }
        body.failureCode = failureCode
        return body
    }

    /// An iterator that keeps what it has returned. One task uses it at a time.
    private final class Reader: @unchecked Sendable {
        private var iterator: AsyncIterator
        private var bytes: [UInt8]? = []

        init(_ iterator: AsyncIterator) { self.iterator = iterator }

        func next(_ limit: Int) async throws(ClientError) -> [UInt8]? {
            guard let piece = try await iterator.next() else { return nil }
            if let count = bytes?.count, piece.count <= limit - count {
                bytes?.append(contentsOf: piece)
            } else {
                bytes = nil
            }
            return piece
        }

        func takeAll() -> [UInt8]? {
            defer { bytes = nil }
            return bytes
        }
    }
}
