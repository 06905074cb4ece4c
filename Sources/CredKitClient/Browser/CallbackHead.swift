// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The head of a request to a ``CallbackServer``, parsed strictly ([RFC 9112](https://www.rfc-editor.org/rfc/rfc9112)).
struct CallbackHead: Sendable {
    /// The most fields.
    static let maximumFieldCount = 100

    /// The method, such as `GET`.
    let method: String
    /// The path as it was sent; it begins with a slash.
    let path: String
    /// The query as it was sent, without its question mark; `nil` if there is none.
    let query: String?
    /// The value of `Host`, in lower case.
    let host: String
    /// The value of `Sec-Fetch-Dest`: what the browser wants the answer for.
    let secFetchDest: String?
    /// The media type of the body, in lower case and without parameters.
    let contentType: String?
    /// The length of the body in bytes; 0 if there is none.
    let contentLength: Int

    /// Parses a head.
    ///
    /// - Parameter bytes: All lines, each with CR and LF at its end, and the empty one.
    init?(parsing bytes: [UInt8]) {
        guard let end = Self.end(in: bytes), end == bytes.count else { return nil }
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes.dropLast(2)
        while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<feed]
            guard line.last == UInt8(ascii: "\r") else { return nil }
            lines.append(line.dropLast())
            rest = rest[(feed + 1)...]
        }
        // A line has no end of its own inside, and nothing that a terminal or a log would obey.
        guard let first = lines.first, lines.count <= Self.maximumFieldCount + 1,
            lines.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } })
        else { return nil }
        let words = first.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3,
            words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8),
            !words[0].isEmpty, words[0].allSatisfy({ (0x41...0x5A).contains($0) }),
            words[1].first == UInt8(ascii: "/"),
            words[1].allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let (name, value) = Self.field(line) else { return nil }
            guard Self.uniqueNames.contains(name) else { continue }
            // Two values could be read by two programs in two ways.
            guard fields.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard let host = fields["host"], fields["transfer-encoding"] == nil,
            let length = Self.number(fields["content-length"] ?? "0")
        else { return nil }
        method = String(decoding: words[0], as: UTF8.self)
        let target = words[1]
        path = String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        query = target.firstIndex(of: UInt8(ascii: "?")).map {
            String(decoding: target[($0 + 1)...], as: UTF8.self)
        }
        self.host = ASCIIText.lowercased(host)
        secFetchDest = fields["sec-fetch-dest"]
        contentType = fields["content-type"].map { type in
            var name = type.prefix { $0 != ";" }
            while name.last == " " || name.last == "\t" { name.removeLast() }
            return ASCIIText.lowercased(name)
        }
        contentLength = length
    }

    /// The fields that are read. None of them may be repeated.
    private static let uniqueNames: Set = [
        "host", "sec-fetch-dest", "content-type", "content-length", "transfer-encoding",
    ]

    /// Returns where a head ends; `nil` if it does not end.
    ///
    /// - Parameters:
    ///   - bytes: What was received.
    ///   - start: The position before which it does not end.
    /// - Returns: The position behind its empty line.
    static func end(in bytes: [UInt8], from start: Int = 0) -> Int? {
        var position = max(3, start)
        while position < bytes.count {
            if bytes[position] == 0x0A, bytes[position - 1] == 0x0D, bytes[position - 2] == 0x0A,
                bytes[position - 3] == 0x0D
            {
                return position + 1
            }
            position += 1
        }
        return nil
    }

    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line[..<colon]
        // Also refuses a line that continues another: it begins with a blank.
        guard !name.isEmpty, name.allSatisfy(isTokenByte) else { return nil }
        var value = line[(colon + 1)...]
        while value.first == 0x20 || value.first == 0x09 { value.removeFirst() }
        while value.last == 0x20 || value.last == 0x09 { value.removeLast() }
        return (
            ASCIIText.lowercased(String(decoding: name, as: UTF8.self)),
            String(decoding: value, as: UTF8.self)
        )
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        URLBytes.isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func number(_ text: String) -> Int? {
        guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
