// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension CurlHead {
    /// Parses a complete head.
    static func response(_ bytes: [UInt8]) throws(ClientError) -> HTTPResponse {
        var lines = Lines(bytes: bytes)
        guard let first = try lines.next(), let blank = bytes[first].firstIndex(of: 0x20) else {
            throw .malformedResponse("malformed response: it is not HTTP")
        }
        let code = bytes[(blank + 1)..<first.upperBound].prefix(3).reduce(0) { $0 * 10 + Int($1) - 0x30 }
        guard (200...999).contains(code) else {
            throw .malformedResponse("malformed response: invalid status")
        }
        var fields = HTTPFields()
        fields.reserveCapacity(16)
        while let line = try lines.next() {
            guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else {
                throw .malformedResponse("malformed response: a header has no colon")
            }
            var value = trimmed(bytes, (colon + 1)..<line.upperBound)
            // A line that begins with a blank continues the previous one, RFC 9112 section 5.2.
            while let next = try lines.nextContinuation() { value += [0x20] + trimmed(bytes, next) }
            guard let name = name(bytes[line.lowerBound..<colon]) else { continue }
            // Unchanged, so that the rules for cookies and URLs see a control character and reject it.
            fields.append(HTTPField(name: name, lenientValue: value))
        }
        let reason = trimmed(bytes, min(blank + 4, first.upperBound)..<first.upperBound)
        return HTTPResponse(
            status: .init(code: code, reasonPhrase: String(decoding: reason, as: UTF8.self)),
            headerFields: fields
        )
    }

    /// The lines of a head, without line ends and empty lines.
    private struct Lines {
        let bytes: [UInt8]
        private var start = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// Returns the next line without its line end. A carriage return anywhere else is an error: another program
        /// on the way may have taken it for the end of the line, RFC 9112 section 2.2.
        mutating func next() throws(ClientError) -> Range<Int>? {
            while start < bytes.count {
                var end = bytes[start...].firstIndex(of: 10) ?? bytes.count
                let line = start
                start = end + 1
                while end > line, bytes[end - 1] == 13 { end -= 1 }
                guard line < end else { continue }
                guard !bytes[line..<end].contains(13) else {
                    throw .malformedResponse("malformed response: a header contains a carriage return")
                }
                return line..<end
            }
            return nil
        }

        /// Returns the next line if it begins with a blank.
        mutating func nextContinuation() throws(ClientError) -> Range<Int>? {
            while start < bytes.count, bytes[start] == 10 { start += 1 }
            guard start < bytes.count, CurlHead.isBlank(bytes[start]) else { return nil }
            return try next()
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

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 }

    /// Returns a part of a head without surrounding blanks.
    private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> ArraySlice<UInt8> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        return bytes[start..<end]
    }
}
