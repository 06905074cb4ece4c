// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Reads bodies of responses, within a size limit.
struct BodyCollector: Sendable {
    /// The maximum size of a collected body in bytes.
    let maximumByteCount: Int

    /// Collects the whole body, without a copy if it arrived in one array.
    func collect(
        _ body: HTTPResponseBody,
        of head: HTTPResponse,
        method: HTTPRequest.Method,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> [UInt8] {
        let limit = maximumByteCount
        let status = head.status.code
        let declared = method == .head || status == 304 ? 0 : Self.declaredByteCount(head)
        if let declared, declared > limit { throw Self.overLimit(limit, status: status) }
        if let bytes = body.bytes {
            guard bytes.count <= limit else { throw Self.overLimit(limit, status: status) }
            return bytes
        }
        return try await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
            var iterator = body.makeAsyncIterator()
            guard var bytes = try await iterator.next() else { return [] }
            guard bytes.count <= limit else { throw Self.overLimit(limit, status: status) }
            while let more = try await iterator.next() {
                guard more.count <= limit - bytes.count else { throw Self.overLimit(limit, status: status) }
                // The declared size is reserved only in proportion to the bytes received so far.
                if let declared, bytes.count + more.count <= declared,
                    declared <= 16 * (bytes.count + more.count)
                {
                    bytes.reserveCapacity(declared)
                }
                bytes += more
            }
            return bytes
        }
    }

    /// Reads the body of a redirect if it is small, so that the connection can be reused. A larger body, or
    /// one that does not arrive quickly, is not read, and the transport closes its connection. Errors of the
    /// body are ignored.
    static func drain(
        _ body: HTTPResponseBody,
        of head: HTTPResponse,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) {
        guard let declared = declaredByteCount(head), declared <= 16 << 10 else { return }
        let deadline = min(deadline, ContinuousClock.now.advanced(by: .seconds(1)))
        do throws(ClientError) {
            try await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
                var iterator = body.makeAsyncIterator()
                var count = 0
                while count <= declared, let bytes = try await iterator.next() { count += bytes.count }
            }
        } catch {
            if error == .cancelled { throw error }
        }
    }

    private static func declaredByteCount(_ head: HTTPResponse) -> Int? {
        head.headerFields.first(.contentLength).flatMap { Int($0) }
    }

    private static func overLimit(_ limit: Int, status: Int) -> ClientError {
        .overLimit("the response is larger than \(limit) bytes", status: status)
    }
}
