// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A response made from a stored one, RFC 9111 section 4.
struct CacheAnswer: Sendable, Equatable {
    let entry: CacheEntry
    let use: CacheUse
    let head: HTTPResponse
    /// The part of the stored body to send; empty for HEAD.
    let body: Range<Int64>

    /// Creates an answer with the whole body.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - use: How it is used.
    ///   - request: The request, GET or HEAD.
    ///   - freshness: The entry's age, for the field `Age`. A response that was just validated keeps its own.
    init(_ entry: CacheEntry, as use: CacheUse, to request: CacheRequest, freshness: Freshness) {
        self.init(
            entry: entry,
            use: use,
            head: Self.head(of: entry, as: use, freshness: freshness),
            body: 0..<(request.method == .head ? 0 : max(0, entry.bodyLength))
        )
    }

    /// Creates an answer with a range of the body, RFC 9110 sections 15.3.7 and 15.5.17.
    init(_ entry: CacheEntry, range: ByteRange, as use: CacheUse, freshness: Freshness) {
        var head = Self.head(of: entry, as: use, freshness: freshness)
        let body: Range<Int64>
        switch range {
        case .part(let part):
            body = part
            head.status = .partialContent
            head.headerFields[.contentRange] =
                "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(entry.bodyLength)"
        case .unsatisfiable:
            body = 0..<0
            head = HTTPResponse(status: .rangeNotSatisfiable)
            head.headerFields[.contentRange] = "bytes */\(entry.bodyLength)"
            head.headerFields[.age] = "\(freshness.age ?? freshness.initialAge)"
            head.headerFields[.date] = entry.headers.first(.date)
        }
        head.headerFields[.contentLength] = "\(body.count)"
        self.init(entry: entry, use: use, head: head, body: body)
    }

    private init(entry: CacheEntry, use: CacheUse, head: HTTPResponse, body: Range<Int64>) {
        self.entry = entry
        self.use = use
        self.head = head
        self.body = body
    }

    private static func head(of entry: CacheEntry, as use: CacheUse, freshness: Freshness) -> HTTPResponse {
        var head = HTTPResponse(status: entry.status, headerFields: entry.headers)
        if use != .validated {
            head.headerFields[.age] = "\(freshness.age ?? freshness.initialAge)"
        }
        return head
    }
}
