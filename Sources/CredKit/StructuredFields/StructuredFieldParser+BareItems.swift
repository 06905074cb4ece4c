// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField.Parser {
    private typealias Characters = StructuredField.Characters

    mutating func key() throws(StructuredField.ParsingError) -> String {
        try word(first: Characters.isKeyStart, then: Characters.isKey)
    }

    mutating func bareItem() throws(StructuredField.ParsingError) -> StructuredField.BareItem {
        switch next {
        case UInt8(ascii: "-"): return try number()
        case let byte? where Characters.isDigit(byte): return try number()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: ":"): return .byteSequence(try byteSequence())
        case UInt8(ascii: "?"): return .boolean(try boolean())
        case UInt8(ascii: "@"): return .date(try date())
        case UInt8(ascii: "%"): return .displayString(try displayString())
        default: return .token(try word(first: Characters.isTokenStart, then: Characters.isToken))
        }
    }

    /// Parses a key or a token.
    private mutating func word(
        first isFirst: (UInt8) -> Bool,
        then isNext: (UInt8) -> Bool
    ) throws(StructuredField.ParsingError) -> String {
        guard let next, isFirst(next) else { throw unexpected }
        let start = offset
        // What can be first can stand behind it as well.
        skip(while: isNext)
        return String(ascii: bytes.span.extracting(start..<offset))
    }

    /// Parses an integer or a decimal.
    mutating func number() throws(StructuredField.ParsingError) -> StructuredField.BareItem {
        // Other numbers can have zeros at their ends, and a sign before zero.
        if !(UInt8(ascii: "1")...UInt8(ascii: "9") ~= next ?? 0) { isCanonical = false }
        let sign: Int64 = skip("-") ? -1 : 1
        var value: Int64 = 0
        let wholeDigits = try digits(upTo: 15, into: &value)
        guard next == UInt8(ascii: ".") else { return .integer(sign * value) }
        guard wholeDigits <= 12 else { throw .tooManyDigits(at: offset) }
        _ = skip(".")
        isCanonical = false
        let fractionDigits = try digits(upTo: 3, into: &value)
        for _ in fractionDigits..<3 { value *= 10 }
        return .decimal(StructuredField.Decimal(thousandths: sign * value))
    }

    /// Appends at least one digit to a number. Returns how many there were. A number gets 15 of them at most, which is
    /// far from an overflow.
    private mutating func digits(
        upTo limit: Int,
        into value: inout Int64
    ) throws(StructuredField.ParsingError) -> Int {
        var count = 0
        while let digit = take(where: Characters.isDigit) {
            count += 1
            guard count <= limit else { throw .tooManyDigits(at: offset - 1) }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        guard count > 0 else { throw unexpected }
        return count
    }

    private mutating func string() throws(StructuredField.ParsingError) -> String {
        _ = skip("\"")
        // Most strings have no escapes: they need no array of their own.
        let start = offset
        skip { Characters.isPrintable($0) && !Characters.isEscaped($0) }
        if skip("\"") { return String(ascii: bytes.span.extracting(start..<offset - 1)) }
        var text = Array(bytes[start..<offset])
        while !skip("\"") {
            if skip("\\") {
                guard let byte = take(where: Characters.isEscaped) else { throw unexpected }
                text.append(byte)
            } else {
                guard let byte = take(where: Characters.isPrintable) else { throw unexpected }
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses a byte sequence. Padding may be missing, and bits that belong to no byte may be set, because RFC 9651
    /// §4.2.7 says that parsers should accept both.
    private mutating func byteSequence() throws(StructuredField.ParsingError) -> [UInt8] {
        _ = skip(":")
        isCanonical = false
        let start = offset
        skip { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
        let count = offset - start
        var paddingCount = 0
        while skip("=") { paddingCount += 1 }
        guard skip(":") else { throw unexpected }
        // The canonical form, which most senders write, is decoded where it stands.
        if let decoded = try? Base64.standard.decode(bytes.span.extracting(start..<offset - 1)) {
            return decoded
        }
        let missingCount = (4 - count % 4) % 4
        guard missingCount < 3, paddingCount == 0 || paddingCount == missingCount else {
            throw .invalidBase64(at: start)
        }
        // Zeros in place of the padding complete the last group, whatever the bits before them are.
        var text: [UInt8] = []
        text.reserveCapacity(count + missingCount)
        text += bytes[start..<start + count]
        text += repeatElement(UInt8(ascii: "A"), count: missingCount)
        do throws(Base64.DecodingError) {
            var decoded = try Base64.standard.decode(text)
            decoded.removeLast(missingCount)
            return decoded
        } catch {
            throw .invalidBase64(at: start + error.offset)
        }
    }

    private mutating func boolean() throws(StructuredField.ParsingError) -> Bool {
        _ = skip("?")
        if skip("1") { return true }
        guard skip("0") else { throw unexpected }
        return false
    }

    private mutating func date() throws(StructuredField.ParsingError) -> UnixTime {
        _ = skip("@")
        let start = offset
        guard case .integer(let seconds) = try number() else { throw .invalidCharacter(at: start) }
        return UnixTime(seconds)
    }

    private mutating func displayString() throws(StructuredField.ParsingError) -> String {
        _ = skip("%")
        isCanonical = false
        let quote = offset
        guard skip("\"") else { throw unexpected }
        let start = offset
        skip { Characters.isPrintable($0) && $0 != UInt8(ascii: "\"") }
        let decoded: [UInt8]
        do throws(PercentCoding.DecodingError) {
            decoded = try PercentCoding.displayString.decode(bytes.span.extracting(start..<offset))
        } catch {
            let position = start + error.offset
            throw position < bytes.count
                ? StructuredField.ParsingError.invalidCharacter(at: position)
                : StructuredField.ParsingError.unexpectedEnd(at: position)
        }
        guard skip("\"") else { throw unexpected }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8(at: quote) }
        return text
    }
}
