// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A record of a table: its bytes as in the file, and the positions of its fields.
struct TableRecord: Equatable {
    /// The format that separates fields.
    enum Format {
        /// `user:hash:…`, as in htpasswd and shadow files.
        case colons
        /// Comma-separated values (RFC 4180).
        case csv
        /// The same with tabs in place of commas.
        case tsv

        var separator: UInt8 {
            switch self {
            case .colons: UInt8(ascii: ":")
            case .csv: UInt8(ascii: ",")
            case .tsv: UInt8(ascii: "\t")
            }
        }

        /// Whether a field can stand in quotes.
        var hasQuotes: Bool { self != .colons }

        /// Whether records that begin with `#` are comments.
        var hasComments: Bool { self == .colons }
    }

    /// All bytes, including the line ending.
    let bytes: [UInt8]
    let format: Format
    /// The ranges of the fields, without separators but with quotes.
    private let ranges: [Range<Int>]

    init(_ bytes: [UInt8], format: Format) {
        self.bytes = bytes
        self.format = format
        var ranges: [Range<Int>] = []
        // A byte order mark is not part of the first field.
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var scanner = TableScanner(format: format)
        let end = bytes.count - Self.lineEndingCount(bytes)
        for (index, byte) in bytes.enumerated()
        where scanner.consume(byte) == .separator && index < end {
            ranges.append(start..<index)
            start = index + 1
        }
        ranges.append(start..<max(start, end))
        self.ranges = ranges
        isTerminated = bytes.last == UInt8(ascii: "\n") && !scanner.isQuoted
    }

    /// Whether the record ends in a line feed that is not part of a field. The last record of a file may lack it, and a
    /// truncated record does.
    let isTerminated: Bool

    /// The number of fields.
    var fieldCount: Int { ranges.count }

    /// Returns the content of a field, or `nil` if there is no such field.
    func field(_ index: Int) -> [UInt8]? {
        guard ranges.indices.contains(index) else { return nil }
        let raw = bytes[ranges[index]]
        guard format.hasQuotes, raw.count >= 2, raw.first == UInt8(ascii: "\""),
            raw.last == UInt8(ascii: "\"")
        else { return Array(raw) }
        // A quote in a quoted field is doubled.
        var content: [UInt8] = []
        var isSecondQuote = false
        for byte in raw.dropFirst().dropLast() {
            isSecondQuote = byte == UInt8(ascii: "\"") && !isSecondQuote
            if !isSecondQuote { content.append(byte) }
        }
        return content
    }

    /// Returns the record with new content in one field and all other bytes unchanged.
    func replacing(_ index: Int, with content: [UInt8]) -> TableRecord {
        var field = content
        if format.hasQuotes
            && content.contains(where: { $0 == format.separator || "\"\r\n".utf8.contains($0) })
        {
            field = [UInt8(ascii: "\"")]
            for byte in content {
                if byte == UInt8(ascii: "\"") { field.append(byte) }
                field.append(byte)
            }
            field.append(UInt8(ascii: "\""))
        }
        var bytes = bytes
        bytes.replaceSubrange(ranges[index], with: field)
        return TableRecord(bytes, format: format)
    }

    /// Returns whether another record has the same bytes before and after a field.
    func isAlike(_ other: TableRecord, exceptFor index: Int) -> Bool {
        guard ranges.indices.contains(index), other.ranges.indices.contains(index) else { return false }
        let (own, others) = (ranges[index], other.ranges[index])
        return bytes[..<own.lowerBound] == other.bytes[..<others.lowerBound]
            && bytes[own.upperBound...] == other.bytes[others.upperBound...]
    }

    private static func lineEndingCount(_ bytes: [UInt8]) -> Int {
        guard bytes.last == UInt8(ascii: "\n") else { return 0 }
        return bytes.dropLast().last == UInt8(ascii: "\r") ? 2 : 1
    }
}
