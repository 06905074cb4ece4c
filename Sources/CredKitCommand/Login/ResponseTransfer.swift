// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal
import HTTPTypes

/// Sends a request, and writes a response of any size to a file while it arrives.
struct ResponseTransfer: Sendable {
    let session: LoginSession
    let request: HTTPRequest
    let body: HTTPRequestBody?
    let cachePolicy: CachePolicy
    let meter = TransferMeter()

    /// Sends the request and returns its whole response, which has a limited size.
    func collect() async throws(ClientError) -> (head: HTTPResponse, body: [UInt8], cacheUse: CacheUse) {
        defer { meter.finish() }
        return try await session.send(request, body: body, cachePolicy: cachePolicy, progress: shown)
    }

    /// Writes the response to an output.
    ///
    /// - Parameters:
    ///   - output: The output, which is complete afterwards.
    ///   - isOmitted: Writes what comes before the body, or returns that nothing is to be written.
    /// - Returns: The head of the response, and the beginning of a body that was not written.
    /// - Throws: A `ClientError` or ``CommandFailure``.
    func write(
        to output: ResponseOutput,
        unless isOmitted: (HTTPResponse) throws -> Bool
    ) async throws -> (head: HTTPResponse, omitted: [UInt8]?) {
        defer { meter.finish() }
        return try await session.withResponse(to: request, body: body, progress: shown) { head, body in
            guard try !isOmitted(head) else {
                var start: [UInt8] = []
                for try await piece in body {
                    start += piece
                    if start.count > ServerMessage.maximumByteCount { break }
                }
                return (head, start)
            }
            let isEncoded = head.headerFields[.contentEncoding] != nil
            let total = isEncoded ? nil : head.headerFields[.contentLength].flatMap { Int64($0) }
            var done: Int64 = 0
            for try await piece in body {
                try output.write(body: piece)
                done += Int64(piece.count)
                meter.show(done, of: total, attempt: 1)
            }
            try output.commit()
            return (head, nil)
        }
    }

    /// Downloads to a file, and continues an earlier download.
    func resume(to path: String) async throws(ClientError) -> HTTPResponse {
        defer { meter.finish() }
        return try await session.download(request, to: path, options: .resume, progress: shown).head
    }

    private var shown: @Sendable (ByteProgress) -> Void {
        { [meter] in meter.show($0.completed, of: $0.total, attempt: $0.attempt) }
    }
}
