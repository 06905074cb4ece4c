// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension Download {
    /// Writes a body into the file.
    ///
    /// - Returns: The position behind it, at most `end`.
    func write(
        _ response: FinalResponse<HTTPResponseBody>,
        to file: PartialDownload,
        from start: Int64,
        upTo end: Int64?
    ) async throws(ClientError) -> Int64 {
        var (buffer, position): ([UInt8], Int64) = ([], start)
        var iterator = response.body.makeAsyncIterator()
        let failure: ClientError?
        do throws(ClientError) {
            while let piece = try await iterator.next() {
                let arrived = position + Int64(buffer.count) + Int64(piece.count)
                guard arrived <= end ?? .max else {
                    throw .malformedResponse("the server sent more bytes than it has declared")
                }
                try checkSize(arrived)
                buffer += piece
                if buffer.count >= 1 << 20 {
                    try await file.write(buffer, at: position)
                    position = arrived
                    buffer.removeAll(keepingCapacity: true)
                }
                reporter.advance(to: arrived)
            }
            failure = nil
        } catch {
            failure = error
        }
        if !buffer.isEmpty { try await file.write(buffer, at: position) }
        position += Int64(buffer.count)
        if let failure { throw failure }
        return position
    }

    func finish(
        _ file: PartialDownload,
        _ count: Int64,
        _ total: Int64?,
        _ resumed: Int64,
        _ digests: [DownloadDigest],
        _ head: HTTPResponse
    ) async throws(ClientError) -> DownloadedFile {
        guard total.map({ $0 == count }) ?? true else { throw Self.cut }
        try await file.commit(count, digests: digests)
        return DownloadedFile(
            head: session.publicHead(head),
            byteCount: count,
            resumedByteCount: resumed,
            isDigestVerified: !digests.isEmpty
        )
    }

    func checkSize(_ byteCount: Int64) throws(ClientError) {
        guard byteCount <= maximumByteCount else {
            throw .overLimit("the file is larger than \(maximumByteCount) bytes")
        }
    }
}
