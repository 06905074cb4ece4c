// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension CurlHead {
    /// Parses a complete head.
    static func response(_ bytes: [UInt8]) throws(ClientError) -> HTTPResponse {
        var lines = Lines(bytes: bytes)
        guard let first = lines.next(), let blank = bytes[first].firstIndex(of: 0x20) else {
            throw .malformedResponse("malformed response: it is not HTTP")
        }
        let code = bytes[(blank + 1)..<first.upperBound].prefix(3).reduce(0) { $0 * 10 + Int($1) - 0x30 }
        guard (200...999).contains(code) else {
            throw .malformedResponse("malformed response: invalid status")
        }
        var fields = HTTPFields()
        fields.reserveCapacity(16)
        while let line = lines.next() {
            guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else {
                throw .malformedResponse("malformed response: a header has no colon")
            }
            var value = text(bytes, (colon + 1)..<line.upperBound)
            // A line that begins with a blank continues the previous one, RFC 9112 section 5.2.
            while let next = lines.nextContinuation() { value += " " + text(bytes, next) }
            guard let name = name(bytes[line.lowerBound..<colon]) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let reason = text(bytes, min(blank + 4, first.upperBound)..<first.upperBound)
        return HTTPResponse(status: .init(code: code, reasonPhrase: reason), headerFields: fields)
    }

    /// The lines of a head, without line ends and empty lines.
    private struct Lines {
        let bytes: [UInt8]
        private var start = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> Range<Int>? {
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: 10) ?? bytes.count
                defer { start = end + 1 }
                if start < end { return start..<end }
            }
            return nil
        }

        /// Returns the next line if it begins with a blank.
        mutating func nextContinuation() -> Range<Int>? {
            while start < bytes.count, bytes[start] == 10 { start += 1 }
            guard start < bytes.count, CurlHead.isBlank(bytes[start]) else { return nil }
            return next()
        }
    }

    /// Common names, which are not created again for each response.
    private static let names: [(bytes: [UInt8], name: HTTPField.Name)] = [
        "Server", "Date", "Content-Type", "Content-Length", "Connection", "Set-Cookie", "Cache-Control",
        "ETag",
        "Last-Modified", "Vary", "Expires", "server", "date", "content-type", "content-length", "set-cookie",
        "cache-control", "etag", "last-modified", "vary", "expires",
    ].compactMap { text in HTTPField.Name(text).map { (Array(text.utf8), $0) } }

    private static func name(_ bytes: ArraySlice<UInt8>) -> HTTPField.Name? {
        for known in names where known.bytes.count == bytes.count && bytes.elementsEqual(known.bytes) {
            return known.name
        }
        return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 || byte == 13 }

    /// Returns a part of a head without surrounding blanks.
    private static func text(_ bytes: [UInt8], _ range: Range<Int>) -> String {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
