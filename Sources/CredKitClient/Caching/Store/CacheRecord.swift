// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A stored response as bytes, before it is encrypted.
///
/// Numbers are little-endian. Each text has its length in four bytes before it.
///
/// | bytes | content |
/// |---|---|
/// | 2 | status |
/// | 8, 8 | seconds of the request and of the response |
/// | … | URL |
/// | 4, … | number of header fields; name and value of each |
/// | 4, … | number of fields of the variant; name and digest of each |
/// | … | body |
enum CacheRecord {
    /// More fields than any response that is accepted has.
    private static let maximumFieldCount: UInt32 = 1024

    static func encode(_ response: CachedResponse) -> [UInt8] {
        let entry = response.entry
        var bytes: [UInt8] = []
        bytes.reserveCapacity(response.byteCount)
        append(UInt16(clamping: entry.status.code), to: &bytes)
        append(entry.requestTime.seconds, to: &bytes)
        append(entry.responseTime.seconds, to: &bytes)
        append(text: entry.url.absoluteString.utf8, to: &bytes)
        append(UInt32(clamping: entry.headers.count), to: &bytes)
        for field in entry.headers {
            append(text: field.name.rawName.utf8, to: &bytes)
            unsafe field.withUnsafeBytesOfValue { unsafe append(text: $0, to: &bytes) }
        }
        append(UInt32(clamping: entry.variant.fields.count), to: &bytes)
        for field in entry.variant.fields {
            append(text: field.name.utf8, to: &bytes)
            append(text: field.digest, to: &bytes)
        }
        append(text: response.body, to: &bytes)
        return bytes
    }

    /// Returns the stored response; `nil` if another version has written it. A URL that it most likely has saves parsing.
    static func decode(
        _ bytes: consuming [UInt8],
        from start: Int = 0,
        expecting expected: HTTPURL? = nil
    ) -> CachedResponse? {
        guard let (entry, body) = entry(bytes, from: start, expecting: expected) else { return nil }
        // Moving a large body in its memory takes less time than getting other memory for it.
        bytes.removeSubrange(body.upperBound...)
        bytes.removeSubrange(..<body.lowerBound)
        return CachedResponse(entry: entry, body: bytes)
    }

    private static func entry(
        _ bytes: [UInt8],
        from start: Int,
        expecting expected: HTTPURL?
    ) -> (entry: CacheEntry, body: Range<Int>)? {
        var reader = Reader(bytes: bytes, position: start)
        guard let status = reader.number(UInt16.self), (100...999).contains(status),
            let requestTime = reader.number(Int64.self),
            let responseTime = reader.number(Int64.self), let address = reader.text(),
            let url = url(address, expecting: expected), let fieldCount = reader.number(UInt32.self),
            fieldCount <= maximumFieldCount
        else { return nil }
        var headers = HTTPFields()
        headers.reserveCapacity(Int(fieldCount))
        for _ in 0..<fieldCount {
            guard let name = reader.string().flatMap({ HTTPField.Name($0) }), let value = reader.text() else {
                return nil
            }
            headers.append(HTTPField(name: name, value: value))
        }
        guard let variantCount = reader.number(UInt32.self), variantCount <= maximumFieldCount else {
            return nil
        }
        var variant: [VariantKey.Field] = []
        for _ in 0..<variantCount {
            guard let name = reader.string(), let digest = reader.text() else { return nil }
            variant.append(VariantKey.Field(name: name, digest: Array(digest)))
        }
        guard let body = reader.text(), reader.isAtEnd else { return nil }
        let entry = CacheEntry(
            url: url,
            status: HTTPResponse.Status(code: Int(status)),
            headers: headers,
            times: ExchangeTimes(request: UnixTime(requestTime), response: UnixTime(responseTime)),
            variant: VariantKey(fields: variant),
            bodyLength: Int64(body.count)
        )
        return (entry, body.indices)
    }

    private static func url(_ text: ArraySlice<UInt8>, expecting expected: HTTPURL?) -> HTTPURL? {
        if let expected, isText(text, expected.absoluteString) { return expected }
        return String(validating: text, as: UTF8.self).flatMap { try? HTTPURL($0) }
    }

    private static func isText(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        let (bytes, text) = (bytes.span, text.utf8.span)
        guard bytes.count == text.count else { return false }
        for index in bytes.indices where bytes[index] != text[index] { return false }
        return true
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private static func append(text: some Collection<UInt8>, to bytes: inout [UInt8]) {
        append(UInt32(clamping: text.count), to: &bytes)
        bytes.append(contentsOf: text)
    }

    /// Reads in order, and never beyond the end.
    private struct Reader {
        let bytes: [UInt8]
        private var position: Int

        init(bytes: [UInt8], position: Int) {
            self.bytes = bytes
            self.position = position
        }

        var isAtEnd: Bool { position == bytes.count }

        mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
            let count = Number.bitWidth / 8
            guard count <= bytes.count - position else { return nil }
            var value: Number = 0
            for index in 0..<count {
                value |= Number(truncatingIfNeeded: bytes[position + index]) << (8 * index)
            }
            position += count
            return value
        }

        mutating func text() -> ArraySlice<UInt8>? {
            guard let count = number(UInt32.self), Int(count) <= bytes.count - position else { return nil }
            defer { position += Int(count) }
            return bytes[position..<position + Int(count)]
        }

        mutating func string() -> String? {
            guard let text = text(), let valid = try? UTF8Span(validating: text.span) else { return nil }
            return String(copying: valid)
        }
    }
}
