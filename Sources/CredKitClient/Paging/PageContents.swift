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
            (bytes, envelope, status) throws(ClientError) in
            let opened = try envelope.open(bytes, as: NoContent.self, status: status)
            guard opened.body != nil else { return .init(opened, body: nil) }
            do throws(ClientError) {
                return .init(opened, body: try list.contents(of: bytes, envelope, total: opened.total))
            } catch {
                throw .malformedResponse(error.message, status: status)
            }
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
        of bytes: [UInt8],
        _ envelope: Envelope,
        total envelopeTotal: Int?
    ) throws(ClientError) -> PageContents<Element> {
        let json = try JSONSlices(bytes)
        let array = try json.required(at: items ?? (envelope.code == nil ? nil : envelope.body))
        var (cursor, link): ([UInt8]?, String?)
        switch paging.kind {
        case .cursor(_, .field(let field)): cursor = try json.cursor(at: field)
        case .link(let field?): link = try json.link(at: field)
        default: break
        }
        return PageContents(
            elements: try elements(of: array, in: json),
            digest: SHA256.hash(data: bytes[array]),
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
        guard Element.self == [UInt8].self else {
            return try JSONReading.read([Element].self, from: Array(json.bytes[array]), status: nil)
        }
        guard let elements = try json.elements(of: array) else {
            throw .malformedResponse("malformed response: the list of elements is not an array")
        }
        return elements.map { json.compact($0) } as? [Element] ?? []
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
    private func optional(at field: String) throws(ClientError) -> Range<Int>? {
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
    private static func invalid(_ field: String, _ problem: String) -> ClientError {
        .malformedResponse("malformed response: '\(TerminalSafeText.text(field, upTo: 80))' \(problem)")
    }
}
