// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What the body of a page contains.
struct PageContents<Element: Sendable>: Sendable {
    var elements: [Element]
    /// The digest of the elements as they were sent: two pages are equal if these are.
    var digest: MessageDigest<32>
    var hasMore: Bool?
    var total: Int?
    var cursor: [UInt8]?
    /// The URL of the next page, in the style that has it in a field.
    var link: String?
}

extension PagedEndpoint {
    /// Returns the endpoint of any page of the list.
    func contentsEndpoint() -> Endpoint<PageContents<Element>> {
        let list = self
        let decoding = BodyDecoding<PageContents<Element>>(usesDefaultEnvelope: true) {
            (bytes, envelope, budget) throws(ClientError) in
            let json = try JSONSlices(bytes, budget)
            let fields = try envelope.fields(in: json)
            if let fields, !envelope.successCodes.contains(fields.code) { return .init(fields, body: nil) }
            return .init(fields, body: try list.contents(of: json, envelope, total: fields?.total))
        }
        var page = Endpoint<PageContents<Element>>(
            method: endpoint.method,
            path: endpoint.path,
            query: [:],
            payload: endpoint.payload,
            decoding: decoding
        )
        page.query = endpoint.query
        page.server = endpoint.server
        (page.pathPrefix, page.version) = (endpoint.pathPrefix, endpoint.version)
        (page.headers, page.envelope) = (endpoint.headers, endpoint.envelope)
        (page.duplicates, page.signer) = (endpoint.duplicates, endpoint.signer)
        return page
    }

    private func contents(
        of json: JSONSlices,
        _ envelope: Envelope,
        total envelopeTotal: Int?
    ) throws(ClientError) -> PageContents<Element> {
        let array = try json.required(at: items ?? (envelope.code == nil ? nil : envelope.body))
        var (cursor, link): ([UInt8]?, String?)
        switch paging.kind {
        case .cursor(_, .field(let field)): cursor = try json.cursor(at: field)
        case .link(let field?): link = try json.link(at: field)
        default: break
        }
        return PageContents(
            elements: try elements(of: array, in: json),
            digest: SHA256.hash(data: json.bytes[array]),
            hasMore: try hasMore.flatMap { (field) throws(ClientError) in try json.flag(at: field) },
            total: try total.map { (field) throws(ClientError) in try json.count(at: field) }
                ?? envelopeTotal.flatMap { $0 < 0 ? nil : $0 },
            cursor: cursor,
            link: link
        )
    }

    private func elements(of array: Range<Int>, in json: JSONSlices) throws(ClientError) -> [Element] {
        // Servers in Go send an empty list as null.
        if json.isWord("null", at: array) { return [] }
        guard let elements = try json.elements(of: array) else {
            throw .malformedResponse("malformed response: the list of elements is not an array")
        }
        guard Element.self == [UInt8].self else { return try json.values(Element.self, of: elements) }
        return try json.lines(of: elements) as? [Element] ?? []
    }
}

extension JSONSlices {
    /// Returns each element of an array on one line.
    fileprivate func lines(of elements: [Range<Int>]) throws(ClientError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        lines.reserveCapacity(elements.count)
        for element in elements {
            if lines.count % 1024 == 0 { try budget.checkDeadline() }
            lines.append(compact(element))
        }
        return lines
    }

    /// Decodes the elements of an array, some at a time: the tree of a whole page would take many times its size, and the
    /// deadline could not be kept.
    fileprivate func values<Element: Decodable>(
        _ type: Element.Type,
        of elements: [Range<Int>]
    ) throws(ClientError) -> [Element] {
        let byteCount = 32 << 10
        var values: [Element] = []
        values.reserveCapacity(elements.count)
        var next = 0
        while next < elements.count {
            let first = next
            let start = elements[first].lowerBound
            repeat { next += 1 } while next < elements.count && elements[next].upperBound - start <= byteCount
            let part =
                [UInt8(ascii: "[")] + bytes[start..<elements[next - 1].upperBound] + [UInt8(ascii: "]")]
            values += try JSONReading.read([Element].self, from: part[...], budget, firstIndex: first)
        }
        return values
    }
}

extension JSONSlices {
    /// The maximum size of a cursor, which becomes part of a URL, in bytes.
    static let maximumCursorByteCount = 4096

    /// Returns the value of a field, or of the document if there is no field.
    fileprivate func required(at field: String?) throws(ClientError) -> Range<Int> {
        guard let field else { return document }
        guard let value = try value(at: field) else { throw Self.invalid(field, "is missing") }
        return value
    }

    /// Returns the value of a field; `nil` if it is missing or `null`.
    func optional(at field: String) throws(ClientError) -> Range<Int>? {
        guard let value = try value(at: field), !isWord("null", at: value) else { return nil }
        return value
    }

    fileprivate func flag(at field: String) throws(ClientError) -> Bool? {
        guard let value = try optional(at: field) else { return nil }
        if isWord("true", at: value) { return true }
        guard isWord("false", at: value) else { throw Self.invalid(field, "is neither true nor false") }
        return false
    }

    fileprivate func count(at field: String) throws(ClientError) -> Int? {
        guard let value = try optional(at: field) else { return nil }
        guard let digits = text(in: value) ?? number(in: value),
            let count = Int(String(decoding: digits, as: UTF8.self)), count >= 0
        else { throw Self.invalid(field, "is not a count") }
        return count
    }

    /// Returns a text, or an integer with all of its digits.
    fileprivate func cursor(at field: String) throws(ClientError) -> [UInt8]? {
        guard let value = try optional(at: field) else { return nil }
        guard let cursor = text(in: value) ?? number(in: value) else {
            throw Self.invalid(field, "is neither a text nor an integer")
        }
        guard cursor.count <= Self.maximumCursorByteCount else { throw Self.invalid(field, "is too long") }
        return cursor
    }

    /// Returns a number, or the number that a decimal text denotes.
    func integer(at field: String) throws(ClientError) -> Int? {
        guard let value = try optional(at: field) else { return nil }
        if let digits = text(in: value) {
            let digits = String(decoding: digits, as: UTF8.self)
            guard let number = Int(digits), String(number) == digits else {
                throw Self.invalid(field, "is not a number")
            }
            return number
        }
        let digits = String(decoding: bytes[value], as: UTF8.self)
        guard let number = Int(digits) ?? Double(digits).flatMap({ Int(exactly: $0) }) else {
            throw Self.invalid(field, "is not a number")
        }
        return number
    }

    /// Returns a text, or an integer as text, because servers send times as either.
    func label(at field: String) throws(ClientError) -> String? {
        guard let value = try optional(at: field) else { return nil }
        guard let label = text(in: value) ?? number(in: value) else {
            throw Self.invalid(field, "is neither a text nor an integer")
        }
        return String(decoding: label, as: UTF8.self)
    }

    /// Returns a text that is not empty.
    fileprivate func link(at field: String) throws(ClientError) -> String? {
        guard let value = try optional(at: field) else { return nil }
        guard let link = text(in: value) else { throw Self.invalid(field, "is not a text") }
        guard link.count <= Self.maximumCursorByteCount else { throw Self.invalid(field, "is too long") }
        return link.isEmpty ? nil : String(decoding: link, as: UTF8.self)
    }

    /// Returns the digits of an integer, and its sign; `nil` for another value.
    private func number(in value: Range<Int>) -> [UInt8]? {
        let number = bytes[value]
        return number.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") } ? Array(number) : nil
    }

    /// The field is the program's own text.
    static func invalid(_ field: String, _ problem: String) -> ClientError {
        .malformedResponse("malformed response: '\(TerminalSafeText.text(field, upTo: 80))' \(problem)")
    }
}
