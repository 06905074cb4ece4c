// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// How far a list has been read, and which page is next. It does no I/O.
struct PageProgress: Sendable {
    /// A page that can be requested.
    enum Position: Sendable, Equatable {
        case first
        case number(Int)
        case offset(Int)
        case cursor([UInt8])
        case link(HTTPURL)
    }

    /// What a page says about the list.
    struct Facts: Sendable {
        /// The number of its elements.
        var count: Int
        var digest: MessageDigest<32>
        var hasMore: Bool?
        var total: Int?
        var cursor: [UInt8]?
        var link: HTTPURL?
    }

    let style: PagingStyle

    /// The next page; `nil` after the last one.
    private(set) var next: Position?

    /// The number of pages so far.
    private(set) var pageCount = 0

    private var elementCount = 0
    private var lastDigest: MessageDigest<32>?
    /// The digests of all pages with a cursor or a link, together with these.
    private var seen: Set<MessageDigest<32>> = []

    init(_ style: PagingStyle) {
        self.style = style
        switch style.kind {
        case .pageNumber(_, let first): next = .number(first)
        case .offset(_, let first): next = .offset(first)
        case .cursor, .link: next = .first
        }
    }

    /// Records the next page.
    ///
    /// - Throws: ``ClientError/repeatedPage`` if it was there before; ``ClientError/malformedResponse`` if it announces
    ///   another page and does not say which.
    mutating func advance(_ facts: Facts) throws(ClientError) {
        guard let position = next else { return }
        var changed = self
        try changed.check(facts, at: position)
        changed.pageCount += 1
        // Pages are limited in number and size, so that this cannot overflow.
        changed.elementCount += facts.count
        changed.lastDigest = facts.digest
        changed.next = changed.hasMore(facts) ? try changed.position(after: position, facts) : nil
        self = changed
    }

    /// Two different cursors may yield pages without elements, and one cursor different pages. Neither goes on for ever
    /// with the same elements.
    private mutating func check(_ facts: Facts, at position: Position) throws(ClientError) {
        var key: [UInt8]
        switch position {
        case .first, .number, .offset:
            guard facts.digest != lastDigest else { throw .repeatedPage }
            return
        case .cursor(let cursor): key = cursor
        case .link(let url): key = Array(url.absoluteString.utf8)
        }
        key += facts.digest
        let isNew = seen.insert(SHA256.hash(data: key)).inserted
        guard isNew, facts.count == 0 || facts.digest != lastDigest else { throw .repeatedPage }
    }

    /// Whether there are more pages, by the first property that the page has.
    private func hasMore(_ facts: Facts) -> Bool {
        if let hasMore = facts.hasMore { return hasMore }
        let (leadsOn, isFull) =
            switch style.kind {
            case .cursor: (facts.cursor != nil, true)
            case .link: (facts.link != nil, true)
            case .pageNumber, .offset: (facts.count > 0, facts.count >= style.size ?? 1)
            }
        // Totals are often estimates: without a cursor, a link or any element, the list ends nevertheless.
        // A total that is smaller than what has come means that the server does not know it.
        if let total = facts.total, total >= elementCount {
            return leadsOn && elementCount < total - min(firstElement, total)
        }
        return leadsOn && isFull
    }

    /// The number of elements before the first page.
    private var firstElement: Int {
        if case .offset(_, let first) = style.kind { first } else { 0 }
    }

    private func position(after position: Position, _ facts: Facts) throws(ClientError) -> Position {
        switch style.kind {
        case .cursor:
            guard let cursor = facts.cursor else { throw Self.missing("cursor") }
            return .cursor(cursor)
        case .link:
            guard let link = facts.link else { throw Self.missing("link") }
            return .link(link)
        case .pageNumber(_, let first):
            return .number(try Self.sum(first, pageCount))
        case .offset(_, let first):
            return .offset(try Self.sum(first, elementCount))
        }
    }

    private static func sum(_ left: Int, _ right: Int) throws(ClientError) -> Int {
        let (sum, isOverflow) = left.addingReportingOverflow(right)
        guard !isOverflow else {
            throw .invalidRequest("invalid request: the position of the page is too large")
        }
        return sum
    }

    private static func missing(_ name: String) -> ClientError {
        .malformedResponse("malformed response: it announces another page, but has no \(name) of it")
    }
}
