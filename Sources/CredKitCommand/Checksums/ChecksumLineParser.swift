// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Parses the lines of checksum files in their three common forms: coreutils' (`HEX  NAME`, `HEX *NAME`), BSD's tagged
/// form (`MD5 (NAME) = HEX`, also OpenSSL's `MD5(NAME)= HEX`) and BSD's reversed form (`HEX NAME`).
struct ChecksumLineParser {
    let algorithm: String
    let digestByteCount: Int

    /// Whether lines have one separator before the name. The first unambiguous line decides for all, because a name may
    /// begin with a space.
    private var isReversed: Bool?

    init(algorithm: String, digestByteCount: Int) {
        self.algorithm = algorithm
        self.digestByteCount = digestByteCount
    }

    /// The content of a line.
    struct Entry {
        let digest: [UInt8]
        let name: [UInt8]
    }

    /// Parses a line without its line ending.
    ///
    /// - Returns: The content, or `nil` if the line is not properly formatted.
    mutating func parse(_ line: ArraySlice<UInt8>) -> Entry? {
        var rest = line.drop(while: Self.isBlank)
        let isEscaped = rest.first == UInt8(ascii: "\\")
        if isEscaped { rest = rest.dropFirst() }
        if rest.starts(with: algorithm.utf8) {
            return parseTagged(rest.dropFirst(algorithm.utf8.count), isEscaped: isEscaped)
        }
        let hex = rest.prefix(digestByteCount * 2)
        rest = rest.dropFirst(digestByteCount * 2)
        guard let digest = digest(hex), let separator = rest.popFirst(), Self.isBlank(separator),
            let mark = rest.first
        else { return nil }

        let hasMark = rest.count > 1 && (mark == UInt8(ascii: " ") || mark == UInt8(ascii: "*"))
        if !hasMark {
            if isReversed == false { return nil }
            isReversed = true
        } else if isReversed != true {
            isReversed = false
            rest = rest.dropFirst()
        }
        return entry(digest: digest, name: rest, isEscaped: isEscaped)
    }

    private func parseTagged(_ text: ArraySlice<UInt8>, isEscaped: Bool) -> Entry? {
        var rest = text
        if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        guard rest.popFirst() == UInt8(ascii: "("), let end = rest.lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        let name = rest[..<end]
        rest = rest[(end + 1)...].drop(while: Self.isBlank)
        guard rest.popFirst() == UInt8(ascii: "="),
            let digest = digest(rest.drop(while: Self.isBlank).prefix { $0 != 0 })
        else {
            return nil
        }
        return entry(digest: digest, name: name, isEscaped: isEscaped)
    }

    private func digest(_ hex: ArraySlice<UInt8>) -> [UInt8]? {
        guard hex.count == digestByteCount * 2 else { return nil }
        return try? Hex.decode(hex)
    }

    private func entry(digest: [UInt8], name: ArraySlice<UInt8>, isEscaped: Bool) -> Entry? {
        guard isEscaped else {
            // For the system, a path ends at a NUL.
            return Entry(digest: digest, name: Array(name.prefix { $0 != 0 }))
        }
        return FileNameEscaping.unescape(name).map { Entry(digest: digest, name: $0) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
