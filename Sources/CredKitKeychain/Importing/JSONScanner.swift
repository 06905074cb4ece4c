// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Scans JSON ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) piece by piece, so that a secret in it can be copied
/// directly into guarded memory. The bytes must be UTF-8.
///
/// Each call takes the bytes: a value with a span cannot be stored in Swift 6.3.
struct JSONScanner {
    /// The maximum depth of nested arrays and objects that are skipped.
    private static let depthLimit = 32
    /// The maximum number of members of an object, whose names are compared.
    private static let memberLimit = 10_000

    private(set) var position = 0

    /// The error for malformed bytes.
    var malformed: KeychainError {
        .damaged("the document is malformed at byte \(position)")
    }

    /// Returns the next byte that is not white space, without consuming it.
    mutating func peek(in bytes: Span<UInt8>) -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return bytes[position]
            }
        }
        return nil
    }

    /// Consumes a character if it is next.
    private mutating func take(_ character: Unicode.Scalar, in bytes: Span<UInt8>) -> Bool {
        guard peek(in: bytes) == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar, in bytes: Span<UInt8>) throws(KeychainError) {
        guard take(character, in: bytes) else { throw malformed }
    }

    /// Consumes `null` if it is next.
    mutating func takeNull(in bytes: Span<UInt8>) -> Bool { takeWord("null", in: bytes) }

    private mutating func takeWord(_ word: StaticString, in bytes: Span<UInt8>) -> Bool {
        _ = peek(in: bytes)
        let letters = Array("\(word)".utf8)
        guard bytes.count - position >= letters.count,
            letters.indices.allSatisfy({ bytes[position + $0] == letters[$0] })
        else { return false }
        position += letters.count
        return true
    }

    /// Throws unless only white space is left.
    mutating func finish(in bytes: Span<UInt8>) throws(KeychainError) {
        guard peek(in: bytes) == nil else { throw malformed }
    }

    /// Parses an object: calls `body` for each name, which must consume the value. A duplicate name is rejected.
    mutating func object(
        in bytes: Span<UInt8>,
        _ body: (inout JSONScanner, String) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try expect("{", in: bytes)
        var names: Set<String> = []
        if take("}", in: bytes) { return }
        repeat {
            let start = position
            let name = try text(in: bytes)
            guard names.insert(name).inserted else {
                position = start
                throw .damaged("the document has a duplicate key in an object at byte \(start)")
            }
            guard names.count <= Self.memberLimit else {
                throw .overLimit("the document has an object with more than \(Self.memberLimit) members")
            }
            try expect(":", in: bytes)
            try body(&self, name)
        } while take(",", in: bytes)
        try expect("}", in: bytes)
    }

    /// Parses an array: calls `body` for each element, which must consume it.
    mutating func array(
        in bytes: Span<UInt8>,
        _ body: (inout JSONScanner) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try expect("[", in: bytes)
        if take("]", in: bytes) { return }
        repeat { try body(&self) } while take(",", in: bytes)
        try expect("]", in: bytes)
    }

    /// Parses a natural number of at most nine digits, without sign, fraction, exponent or leading zeros.
    mutating func naturalNumber(in bytes: Span<UInt8>) throws(KeychainError) -> Int {
        let digits = try number(in: bytes)
        guard digits.count <= 9, digits.count == 1 || bytes[digits.lowerBound] != UInt8(ascii: "0") else {
            throw malformed
        }
        var number = 0
        for index in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index] else { throw malformed }
            number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        return number
    }

    /// Consumes a number (RFC 8259, section 6) without interpreting it.
    private mutating func number(in bytes: Span<UInt8>) throws(KeychainError) -> Range<Int> {
        _ = peek(in: bytes)
        let start = position
        takeByte(of: "-", in: bytes)
        if !takeByte(of: "0", in: bytes) { try digits(in: bytes) }
        if takeByte(of: ".", in: bytes) { try digits(in: bytes) }
        if takeByte(of: "eE", in: bytes) {
            takeByte(of: "+-", in: bytes)
            try digits(in: bytes)
        }
        return start..<position
    }

    private mutating func digits(in bytes: Span<UInt8>) throws(KeychainError) {
        guard takeByte(of: "0123456789", in: bytes) else { throw malformed }
        while takeByte(of: "0123456789", in: bytes) {}
    }

    /// Consumes the next byte if it is one of these, and returns whether it is.
    @discardableResult
    private mutating func takeByte(of characters: String, in bytes: Span<UInt8>) -> Bool {
        guard position < bytes.count, characters.utf8.contains(bytes[position]) else { return false }
        position += 1
        return true
    }

    /// Skips any value.
    mutating func skipValue(in bytes: Span<UInt8>, depth: Int = 0) throws(KeychainError) {
        guard depth < Self.depthLimit else { throw malformed }
        switch peek(in: bytes) {
        case UInt8(ascii: "{"):
            try object(in: bytes) { (scanner, _) throws(KeychainError) in
                try scanner.skipValue(in: bytes, depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try array(in: bytes) { (scanner) throws(KeychainError) in
                try scanner.skipValue(in: bytes, depth: depth + 1)
            }
        case UInt8(ascii: "\""): _ = try rawText(in: bytes)
        default:
            if takeNull(in: bytes) || takeWord("true", in: bytes) || takeWord("false", in: bytes) { return }
            _ = try number(in: bytes)
        }
    }

    /// Parses a text.
    mutating func text(in bytes: Span<UInt8>) throws(KeychainError) -> String {
        let range = try rawText(in: bytes)
        var utf8: [UInt8] = []
        Self.unescape(range, in: bytes) { utf8.append($0) }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// Parses a text into guarded memory.
    mutating func secretText(in bytes: Span<UInt8>) throws(KeychainError) -> SecretBytes {
        let range = try rawText(in: bytes)
        do throws(SecretMemoryError) {
            // An escape is never shorter than the characters it represents.
            return try SecretBytes(capacity: range.count) { output in
                Self.unescape(range, in: bytes) { output.append($0) }
            }
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the range between the quotes of a text, whose escapes are all valid.
    private mutating func rawText(in bytes: Span<UInt8>) throws(KeychainError) -> Range<Int> {
        try expect("\"", in: bytes)
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"):
                guard let escape = JSONText.unescape(at: position, before: bytes.count, in: bytes) else {
                    throw malformed
                }
                position += escape.count
            case ..<0x20: throw malformed
            default: position += 1
            }
        }
        throw malformed
    }

    private static func unescape(_ range: Range<Int>, in bytes: Span<UInt8>, _ emit: (UInt8) -> Void) {
        var position = range.lowerBound
        while position < range.upperBound {
            if bytes[position] == UInt8(ascii: "\\"),
                let (character, count) = JSONText.unescape(at: position, before: range.upperBound, in: bytes)
            {
                for byte in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter { emit(byte) }
                position += count
            } else {
                emit(bytes[position])
                position += 1
            }
        }
    }
}
