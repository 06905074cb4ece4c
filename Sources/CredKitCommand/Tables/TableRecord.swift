// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A record of a table: its bytes as in the file, and the positions of its fields.
struct TableRecord: Equatable {
    /// The format that separates fields.
    struct Format: Equatable {
        private enum Kind {
            case colons, csv, tsv, unquoted
        }

        private let kind: Kind
        /// The character between fields.
        let separator: UInt8

        /// `user:hash:…`, as in htpasswd and shadow files.
        static let colons = Self(kind: .colons, separator: UInt8(ascii: ":"))

        /// Comma-separated values (RFC 4180).
        static let csv = separated(by: UInt8(ascii: ","))

        /// Fields between tabs, as `mysql -B` and PostgreSQL's `COPY` write them: a quote is an ordinary character, and a backslash
        /// with the next character stands for a tab, a line feed or another one.
        static let tsv = Self(kind: .tsv, separator: UInt8(ascii: "\t"))

        /// As RFC 4180 has it, but with another separator, such as the semicolon of Excel in most of Europe.
        static func separated(by separator: UInt8) -> Self { Self(kind: .csv, separator: separator) }

        /// The same separator, but a quote is an ordinary character.
        var withoutQuotes: Self { hasQuotes ? Self(kind: .unquoted, separator: separator) : self }

        /// Whether a field can stand in quotes.
        var hasQuotes: Bool { kind == .csv }

        /// Whether a backslash and the next character stand for another one.
        var hasEscapes: Bool { kind == .tsv }

        /// Whether records that begin with `#` are comments.
        var hasComments: Bool { kind == .colons }

        /// Whether the first record can have the names of the columns.
        var hasNames: Bool { kind != .colons }
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
        isQuoted = scanner.isQuoted
        hasBareReturn = scanner.firstReturn.map { $0 < end } ?? false
    }

    /// Whether the record ends in a line feed that is not part of a field. The last record of a file may lack it, and a
    /// truncated record does.
    var isTerminated: Bool { bytes.last == UInt8(ascii: "\n") && !isQuoted }

    /// Whether a quote is not closed.
    let isQuoted: Bool

    /// Whether a field in quotes contains a line feed.
    var hasLineFeed: Bool { bytes.dropLast().contains(UInt8(ascii: "\n")) }

    /// Whether there is a carriage return outside of quotes, and before the line ending. It may be meant to end a line: writers
    /// of CSV put others in quotes. In TSV it may as well belong to a field.
    let hasBareReturn: Bool

    /// The number of fields.
    var fieldCount: Int { ranges.count }

    /// Returns the bytes of a field, with quotes and escapes, or `nil` if there is no such field.
    func rawField(_ index: Int) -> ArraySlice<UInt8>? {
        ranges.indices.contains(index) ? bytes[ranges[index]] : nil
    }

    /// Returns the content of a field, or `nil` if there is no such field.
    func field(_ index: Int) -> [UInt8]? {
        guard ranges.indices.contains(index) else { return nil }
        let raw = bytes[ranges[index]]
        if format.hasEscapes { return Self.unescaped(raw) }
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
        var field = format.hasEscapes ? Self.escaped(content) : content
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

    /// What stands behind a backslash for a control character.
    private static let escapes: KeyValuePairs<UInt8, UInt8> = [
        UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "0"): 0x00,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "v"): 0x0B,
    ]

    /// `\N` is NULL, which is no text.
    private static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        guard raw.contains(UInt8(ascii: "\\")) else { return Array(raw) }
        guard !raw.elementsEqual(#"\N"#.utf8) else { return [] }
        var content: [UInt8] = []
        var isEscaped = false
        for byte in raw {
            if isEscaped {
                content.append(escapes.first { $0.key == byte }?.value ?? byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                content.append(byte)
            }
        }
        return content + (isEscaped ? [UInt8(ascii: "\\")] : [])
    }

    private static func escaped(_ content: [UInt8]) -> [UInt8] {
        content.flatMap { byte in
            let letter = byte == UInt8(ascii: "\\") ? byte : escapes.first { $0.value == byte }?.key
            return letter.map { [UInt8(ascii: "\\"), $0] } ?? [byte]
        }
    }

    private static func lineEndingCount(_ bytes: [UInt8]) -> Int {
        guard bytes.last == UInt8(ascii: "\n") else { return 0 }
        return bytes.dropLast().last == UInt8(ascii: "\r") ? 2 : 1
    }
}
