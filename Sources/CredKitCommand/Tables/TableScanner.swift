// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Scans the bytes of a record and determines the role of each.
struct TableScanner {
    /// The role of a byte.
    enum Role {
        case content, separator, end
    }

    private enum State {
        case fieldStart, plain, quoted
        /// After a quote in a quoted field: the end of the field, or the first of two quotes that represent one.
        case behindQuote
    }

    private let format: TableRecord.Format
    private var state = State.fieldStart
    private var position = 0
    /// The number of bytes of a byte order mark at the beginning.
    private var markByteCount = 0

    /// The position of the first carriage return outside of quotes.
    private(set) var firstReturn: Int?

    /// Whether a quoted field, which may contain line feeds, is not closed yet.
    var isQuoted: Bool { state == .quoted }

    init(format: TableRecord.Format) {
        self.format = format
    }

    mutating func consume(_ byte: UInt8) -> Role {
        defer { position += 1 }
        if format.hasQuotes && byte == UInt8(ascii: "\"") {
            switch state {
            // In a field that does not begin with a quote, a quote is an ordinary character.
            case .fieldStart: state = .quoted
            case .quoted: state = .behindQuote
            case .behindQuote: state = .quoted
            case .plain: break
            }
            return .content
        }
        if state == .quoted { return .content }
        if byte == UInt8(ascii: "\n") { return .end }
        if byte == UInt8(ascii: "\r") && firstReturn == nil { firstReturn = position }
        if byte == format.separator {
            state = .fieldStart
            return .separator
        }
        state = .plain
        // Excel and Notepad put a byte order mark before the first field, which begins after the whole mark.
        if position < 3 && position == markByteCount && byte == [0xEF, 0xBB, 0xBF][position] {
            markByteCount += 1
            if markByteCount == 3 { state = .fieldStart }
        }
        return .content
    }
}
