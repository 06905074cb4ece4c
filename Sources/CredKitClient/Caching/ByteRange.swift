// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A single range of bytes, RFC 9110 section 14.1.2.
enum ByteRange: Sendable, Equatable {
    /// Bytes of the content.
    case part(Range<Int64>)
    /// There are no such bytes.
    case unsatisfiable

    /// Reads the field `Range`; `nil` if the server must answer: several ranges, other units, malformed text,
    /// or content without bytes.
    init?(_ lines: [String], length: Int64) {
        guard lines.count == 1, let line = lines.first, length > 0,
            ASCIIText.hasPrefix(line, ignoringCase: "bytes=")
        else { return nil }
        let parts = line.utf8.dropFirst("bytes=".utf8.count)
            .split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Self.number(parts[0]), let end = Self.number(parts[1]) else {
            return nil
        }
        switch (start, end) {
        case (.missing, .missing): return nil
        case (.missing, .value(let count)):
            self = count == 0 ? .unsatisfiable : .part(length - min(count, length)..<length)
        case (.value(let start), .missing):
            self = start < length ? .part(start..<length) : .unsatisfiable
        case (.value(let start), .value(let end)):
            guard start <= end else { return nil }
            self = start < length ? .part(start..<min(end, length - 1) + 1) : .unsatisfiable
        }
    }

    private enum Number {
        case missing
        case value(Int64)
    }

    /// Parses digits; `nil` for other text. Numbers of more than 64 bits are beyond every content.
    private static func number(_ bytes: Substring.UTF8View) -> Number? {
        guard !bytes.isEmpty else { return .missing }
        guard bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .value(Int64(Substring(bytes)) ?? .max)
    }

    /// Whether `If-Range` permits a part of an entry, RFC 9110 section 13.1.5: a strong entity tag, or a time
    /// of change that is at least a minute older than the response.
    static func condition(_ lines: [String], holdsFor entry: CacheEntry) -> Bool {
        guard let line = lines.first else { return true }
        guard lines.count == 1 else { return false }
        if line.utf8.first == UInt8(ascii: "\"") {
            guard let tag = EntityTag(lines), let stored = entry.entityTag else { return false }
            return tag.matchesStrongly(stored)
        }
        guard let stored = entry.headers.first(.lastModified), ASCIIText.areEqual(line, stored),
            let changed = entry.lastModified, let date = entry.date
        else { return false }
        return DeltaSeconds.between(changed, date) >= 60
    }
}
