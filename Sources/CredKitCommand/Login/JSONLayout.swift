// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import Glibc

/// Lays out JSON for a terminal, with indentation and colors. Numbers, texts and the order of members stay as they are.
struct JSONLayout {
    /// The largest document that is laid out.
    static let maximumByteCount = 1 << 20
    private static let depthLimit = 128

    /// The colors of the kinds of values.
    private enum Color: String {
        case name = "34"
        case text = "32"
        case other = "36"
    }

    private let bytes: [UInt8]
    private let hasColors: Bool
    private var position = 0
    private var output: [UInt8] = []

    private init(_ bytes: [UInt8], hasColors: Bool) {
        self.bytes = bytes
        self.hasColors = hasColors
        output.reserveCapacity(2 * bytes.count)
    }

    /// Whether the user wants colors, and the terminal has them.
    static var usesColors: Bool {
        func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return value("NO_COLOR").isEmpty && !["", "dumb"].contains(value("TERM"))
    }

    /// Returns a document as lines for a terminal, with escapes in place of unprintable characters.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - hasColors: Whether to add colors.
    /// - Returns: The lines; `nil` if the document is not JSON (RFC 8259), is nested too deeply, or is large.
    static func text(_ bytes: [UInt8], hasColors: Bool) -> [UInt8]? {
        guard bytes.count <= maximumByteCount else { return nil }
        var layout = Self(bytes, hasColors: hasColors)
        return layout.addDocument() ? layout.output : nil
    }

    /// Without recursion: the depth is up to the server.
    private mutating func addDocument() -> Bool {
        var closers: [UInt8] = []
        repeat {
            // Indentation can be many times what is indented.
            guard output.count <= 16 * Self.maximumByteCount else { return false }
            // Here a value is next.
            switch next() {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard closers.count < Self.depthLimit else { return false }
                let opener = bytes[position]
                // The closing character follows two places after the opening one in ASCII.
                let closer = opener + 2
                position += 1
                output.append(opener)
                if next() == closer {
                    position += 1
                    output.append(closer)
                } else {
                    closers.append(closer)
                    addLineEnd(depth: closers.count)
                    guard addName(in: closer) else { return false }
                    continue
                }
            case UInt8(ascii: "\""):
                guard let text = text() else { return false }
                add(text, .text)
            default:
                guard let word = word() ?? number() else { return false }
                add(word, .other)
            }
            // Here the end of arrays and objects, or a comma, is next.
            while let closer = closers.last, next() == closer {
                position += 1
                closers.removeLast()
                addLineEnd(depth: closers.count)
                output.append(closer)
            }
            if let closer = closers.last {
                guard take(UInt8(ascii: ",")) else { return false }
                output.append(UInt8(ascii: ","))
                addLineEnd(depth: closers.count)
                guard addName(in: closer) else { return false }
            }
        } while !closers.isEmpty
        output.append(UInt8(ascii: "\n"))
        return next() == nil
    }

    /// Adds the name of an object's member; nothing in an array.
    private mutating func addName(in closer: UInt8) -> Bool {
        guard closer == UInt8(ascii: "}") else { return true }
        guard next() == UInt8(ascii: "\""), let name = text(), take(UInt8(ascii: ":")) else { return false }
        add(name, .name)
        output += ": ".utf8
        return true
    }

    private mutating func add(_ token: Range<Int>, _ color: Color) {
        if hasColors { output += "\u{1B}[\(color.rawValue)m".utf8 }
        output += ShellQuoting.escapingUnprintableLines(Array(bytes[token]))
        if hasColors { output += "\u{1B}[0m".utf8 }
    }

    private mutating func addLineEnd(depth: Int) {
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: 2 * depth)
    }

    /// Returns the next byte that is not white space, without consuming it.
    private mutating func next() -> UInt8? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
        while position < bytes.count, isSpace(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        position += 1
        return true
    }

    /// Steps over a text; `nil` if it has no end, or an escape that JSON does not have.
    private mutating func text() -> Range<Int>? {
        let start = position
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return start..<position
            case ..<0x20: return nil
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { return nil }
                let escape = bytes[position]
                position += 1
                if escape == UInt8(ascii: "u") {
                    let digits = bytes[position...].prefix(4)
                    guard digits.count == 4, digits.allSatisfy({ Self.isHexDigit($0) }) else { return nil }
                    position += 4
                } else if !#""\/bfnrt"#.utf8.contains(escape) {
                    return nil
                }
            default: break
            }
        }
        return nil
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    private mutating func word() -> Range<Int>? {
        for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
            let start = position
            position += word.utf8.count
            return start..<position
        }
        return nil
    }

    private mutating func number() -> Range<Int>? {
        let start = position
        skip { $0 == UInt8(ascii: "-") }
        if !skip({ $0 == UInt8(ascii: "0") }), !skipDigits() { return nil }
        if skip({ $0 == UInt8(ascii: ".") }), !skipDigits() { return nil }
        if skip({ $0 | 0x20 == UInt8(ascii: "e") }) {
            skip { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            if !skipDigits() { return nil }
        }
        return start..<position
    }

    private mutating func skipDigits() -> Bool {
        guard skip({ 0x30...0x39 ~= $0 }) else { return false }
        while skip({ 0x30...0x39 ~= $0 }) {}
        return true
    }

    @discardableResult
    private mutating func skip(_ isMeant: (UInt8) -> Bool) -> Bool {
        guard position < bytes.count, isMeant(bytes[position]) else { return false }
        position += 1
        return true
    }
}
