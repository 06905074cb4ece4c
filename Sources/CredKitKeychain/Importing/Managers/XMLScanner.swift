// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Scans the part of XML 1.0 that exports of password managers need, so that a secret in it can be copied directly into
/// guarded memory: elements with either text or further elements. A document type is refused, and with it all entities
/// but the predefined ones.
struct XMLScanner {
    struct Tag {
        let name: String
        let isEmpty: Bool
        /// The value of the attribute `Protected`, unless that is `False`: where the text is encrypted, which it is only
        /// inside a database.
        var protection: Range<Int>?
        /// The value of the attribute `Hash`.
        var hash: Range<Int>?

        var isProtected: Bool { protection != nil }
    }

    private static let attributeCount = 16
    private static let nameByteCount = 64

    private var position = 0
    private var open: [String] = []

    var malformed: KeychainError { .damaged("the file is malformed at byte \(position)") }

    /// Returns the next element within the current one, and enters it unless it is empty; `nil` at the end of the current
    /// one, which is left.
    mutating func next(in bytes: Span<UInt8>) throws(KeychainError) -> Tag? {
        while true {
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            guard position < bytes.count else {
                guard open.isEmpty else { throw malformed }
                return nil
            }
            if take("<?", in: bytes) {
                try skip(past: "?>", in: bytes)
            } else if take("<!--", in: bytes) {
                try skip(past: "-->", in: bytes)
            } else if take("</", in: bytes) {
                try leave(in: bytes)
                return nil
            } else if starts("<!", in: bytes) {
                throw .unsupported("the file has a document type or entities, which are not read")
            } else {
                return try tag(in: bytes)
            }
        }
    }

    /// Returns the range of the text of the element that was just entered, and leaves it.
    mutating func text(of tag: Tag, in bytes: Span<UInt8>) throws(KeychainError) -> Range<Int> {
        guard !tag.isEmpty else { return position..<position }
        let start = position
        while position < bytes.count {
            if take("<![CDATA[", in: bytes) {
                try skip(past: "]]>", in: bytes)
            } else if take("<!--", in: bytes) {
                try skip(past: "-->", in: bytes)
            } else if starts("</", in: bytes) {
                let end = position
                position += 2
                try leave(in: bytes)
                return start..<end
            } else if bytes[position] == UInt8(ascii: "<") {
                throw malformed
            } else if bytes[position] == UInt8(ascii: "&") {
                guard let (_, count) = Self.reference(at: position, in: bytes) else { throw malformed }
                position += count
            } else {
                guard bytes[position] >= 0x20 || Self.isSpace(bytes[position]) else { throw malformed }
                position += 1
            }
        }
        throw malformed
    }

    /// Leaves an element that was just entered, with all within it.
    mutating func skip(_ tag: Tag, in bytes: Span<UInt8>) throws(KeychainError) {
        guard !tag.isEmpty else { return }
        let depth = open.count - 1
        while open.count > depth {
            let before = position
            if take("<![CDATA[", in: bytes) {
                try skip(past: "]]>", in: bytes)
            } else if position < bytes.count, bytes[position] != UInt8(ascii: "<") {
                position += 1
            } else {
                _ = try next(in: bytes)
            }
            guard position > before else { throw malformed }
        }
    }

    /// Returns the next element, at any depth, whose text is encrypted, with the range of that text and the name of the
    /// element that it is in; `nil` at the end of the document.
    mutating func nextProtected(
        in bytes: Span<UInt8>
    ) throws(KeychainError) -> (tag: Tag, text: Range<Int>, parent: String?)? {
        while position < bytes.count {
            if take("<![CDATA[", in: bytes) {
                try skip(past: "]]>", in: bytes)
            } else if bytes[position] != UInt8(ascii: "<") {
                position += 1
            } else if let tag = try next(in: bytes), tag.isProtected {
                let text = try text(of: tag, in: bytes)
                return (tag, text, open.last)
            }
        }
        guard open.isEmpty else { throw malformed }
        return nil
    }

    /// Emits the text of a range that ``text(of:in:)`` returned.
    static func forEachByte(of range: Range<Int>, in bytes: Span<UInt8>, _ emit: (UInt8) -> Void) {
        var scanner = XMLScanner()
        scanner.position = range.lowerBound
        let part = bytes.extracting(..<range.upperBound)
        var isLiteral = false
        while scanner.position < range.upperBound {
            let byte = bytes[scanner.position]
            if isLiteral {
                if scanner.take("]]>", in: part) {
                    isLiteral = false
                    continue
                }
            } else if scanner.take("<![CDATA[", in: part) {
                isLiteral = true
                continue
            } else if scanner.take("<!--", in: part) {
                guard (try? scanner.skip(past: "-->", in: part)) != nil else { return }
                continue
            } else if byte == UInt8(ascii: "&"),
                let (scalar, count) = reference(at: scanner.position, in: part)
            {
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { emit(byte) }
                scanner.position += count
                continue
            }
            scanner.position += 1
            // XML 1.0 (section 2.11) would turn a carriage return into LF. KeePassXC writes those of secrets without
            // escaping them, and they must not change.
            emit(byte)
        }
    }

    private mutating func tag(in bytes: Span<UInt8>) throws(KeychainError) -> Tag {
        guard take("<", in: bytes) else { throw malformed }
        guard open.count < TransferLimits.depth else {
            throw .overLimit("the file has elements nested deeper than \(TransferLimits.depth)")
        }
        let name = try name(in: bytes)
        var protection, hash: Range<Int>?
        for _ in 0...Self.attributeCount {
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            if take("/>", in: bytes) {
                return Tag(name: name, isEmpty: true, protection: protection, hash: hash)
            }
            if take(">", in: bytes) {
                open.append(name)
                return Tag(name: name, isEmpty: false, protection: protection, hash: hash)
            }
            let attribute = try self.name(in: bytes)
            guard take("=\"", in: bytes) else { throw malformed }
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "\""),
                bytes[position] != UInt8(ascii: "<")
            { position += 1 }
            let end = position
            guard take("\"", in: bytes) else { throw malformed }
            if attribute == "Protected", end - start != 5 { protection = start..<end }
            if attribute == "Hash" { hash = start..<end }
        }
        throw malformed
    }

    private mutating func name(in bytes: Span<UInt8>) throws(KeychainError) -> String {
        var name: [UInt8] = []
        while position < bytes.count, name.count < Self.nameByteCount {
            let byte = bytes[position]
            guard
                0x30...0x3A ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x5F
                    || byte == 0x2D
            else { break }
            name.append(byte)
            position += 1
        }
        guard !name.isEmpty else { throw malformed }
        return String(decoding: name, as: UTF8.self)
    }

    /// Leaves the current element at its end tag, whose beginning is consumed.
    private mutating func leave(in bytes: Span<UInt8>) throws(KeychainError) {
        guard try open.popLast() == name(in: bytes) else { throw malformed }
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard take(">", in: bytes) else { throw malformed }
    }

    private func starts(_ word: StaticString, in bytes: Span<UInt8>) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where unsafe bytes[position + index] != word.utf8Start[index] { return false }
        return true
    }

    private mutating func take(_ word: StaticString, in bytes: Span<UInt8>) -> Bool {
        guard starts(word, in: bytes) else { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    private mutating func skip(past word: StaticString, in bytes: Span<UInt8>) throws(KeychainError) {
        while position < bytes.count {
            if take(word, in: bytes) { return }
            position += 1
        }
        throw malformed
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 9 || byte == 10 || byte == 13
    }

    /// Returns the character of a reference, and its size in bytes.
    private static func reference(at position: Int, in bytes: Span<UInt8>) -> (Unicode.Scalar, Int)? {
        var word: [UInt8] = []
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: ";") {
            guard word.count < 10 else { return nil }
            word.append(bytes[end])
            end += 1
        }
        guard end < bytes.count else { return nil }
        let count = end + 1 - position
        switch String(decoding: word, as: UTF8.self) {
        case "lt": return ("<", count)
        case "gt": return (">", count)
        case "amp": return ("&", count)
        case "quot": return ("\"", count)
        case "apos": return ("'", count)
        case let name where name.utf8.first == UInt8(ascii: "#"):
            let isHexadecimal = name.utf8.dropFirst().first == UInt8(ascii: "x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard digits.utf8.first != UInt8(ascii: "+"), digits.utf8.first != UInt8(ascii: "-"),
                let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), EntryText.isXML(number),
                let scalar = Unicode.Scalar(number)
            else { return nil }
            return (scalar, count)
        default: return nil
        }
    }
}
