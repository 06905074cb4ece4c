// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Follows the bytes of a record and tells what each is.
struct TableScanner {
    /// What a byte is.
    enum Role {
        case content, separator, end
    }

    private enum State {
        case fieldStart, plain, quoted
        /// Behind a quote in a quoted field: the end of that, or the first of two that stand for one.
        case behindQuote
    }

    private let format: TableRecord.Format
    private var state = State.fieldStart
    private var position = 0

    /// Whether a field goes on, line feeds included, until its closing quote.
    var isQuoted: Bool { state == .quoted }

    init(format: TableRecord.Format) {
        self.format = format
    }

    mutating func consume(_ byte: UInt8) -> Role {
        defer { position += 1 }
        if format == .csv && byte == UInt8(ascii: "\"") {
            switch state {
            // Within a field that does not begin with one, a quote is a character like any other.
            case .fieldStart: state = .quoted
            case .quoted: state = .behindQuote
            case .behindQuote: state = .quoted
            case .plain: break
            }
            return .content
        }
        if state == .quoted { return .content }
        if byte == UInt8(ascii: "\n") { return .end }
        if byte == format.separator {
            state = .fieldStart
            return .separator
        }
        // Excel puts a byte order mark before the first field.
        let isByteOrderMark = position < 3 && byte == [0xEF, 0xBB, 0xBF][position] && state == .fieldStart
        if !isByteOrderMark { state = .plain }
        return .content
    }
}
