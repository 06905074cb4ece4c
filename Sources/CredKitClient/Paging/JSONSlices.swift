// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitKeychain

/// Finds values in JSON ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) and returns their bytes, so that numbers
/// keep all of their digits.
struct JSONSlices {
    /// The bytes are not JSON, are nested too deeply, or have a name twice where one of them is asked for.
    static let malformed = ClientError.malformedResponse(
        "malformed response: it is not JSON, is nested too deeply, or has a field twice"
    )

    /// The maximum depth of nested arrays and objects, as in Foundation's decoder.
    private static let depthLimit = 512

    let bytes: [UInt8]
    let budget: DecodingBudget
    /// The document without white space around it.
    let document: Range<Int>

    /// Checks a document, within the time of a budget.
    init(_ bytes: [UInt8], _ budget: DecodingBudget = DecodingBudget()) throws(ClientError) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Self.malformed }
        self.bytes = bytes
        self.budget = budget
        var scanner = JSONSliceScanner(bytes, budget)
        document = try scanner.value(depthLimit: Self.depthLimit)
        guard scanner.next() == nil else { throw Self.malformed }
    }

    /// Returns the value of a field, named by its keys from the outermost object, joined by dots; `nil` if an object on
    /// the path is missing.
    func value(at field: String) throws(ClientError) -> Range<Int>? {
        var found = document
        for key in field.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard bytes[found.lowerBound] == UInt8(ascii: "{") else { return nil }
            guard let value = try value(named: Array(key), in: found) else { return nil }
            found = value
        }
        return found
    }

    private func value(named key: [UInt8], in object: Range<Int>) throws(ClientError) -> Range<Int>? {
        var scanner = JSONSliceScanner(bytes, budget, from: object.lowerBound + 1)
        var found: Range<Int>?
        guard scanner.next() != UInt8(ascii: "}") else { return nil }
        repeat {
            let name = try scanner.value(depthLimit: 1)
            guard scanner.take(":") else { throw Self.malformed }
            let value = try scanner.value(depthLimit: Self.depthLimit)
            guard isText(key, at: name) else { continue }
            // Parsers disagree about which of two equal names counts.
            guard found == nil else { throw Self.malformed }
            found = value
        } while scanner.take(",")
        return found
    }

    /// Returns the elements of an array; `nil` for another value.
    ///
    /// - Throws: ``ClientError/overLimit`` if there are more than the budget allows.
    func elements(of array: Range<Int>) throws(ClientError) -> [Range<Int>]? {
        guard bytes[array.lowerBound] == UInt8(ascii: "[") else { return nil }
        var scanner = JSONSliceScanner(bytes, budget, from: array.lowerBound + 1)
        guard scanner.next() != UInt8(ascii: "]") else { return [] }
        var elements: [Range<Int>] = []
        repeat {
            elements.append(try scanner.value(depthLimit: Self.depthLimit))
            try budget.check(valueCount: elements.count)
        } while scanner.take(",")
        return elements
    }

    /// Whether the document is an object.
    var isObject: Bool { bytes[document.lowerBound] == UInt8(ascii: "{") }

    /// Whether a text has these bytes. Most names have no escapes, and are compared in place.
    private func isText(_ text: [UInt8], at value: Range<Int>) -> Bool {
        let inner = bytes[value].dropFirst().dropLast()
        return inner.contains(UInt8(ascii: "\\")) ? self.text(in: value) == text : inner.elementsEqual(text)
    }

    /// Whether a value is this word: `true`, `false` or `null`.
    func isWord(_ word: String, at value: Range<Int>) -> Bool {
        bytes[value].elementsEqual(word.utf8)
    }

    /// Returns the bytes of a text without quotes and escapes; `nil` for another value, or for half of a surrogate pair.
    func text(in value: Range<Int>) -> [UInt8]? {
        guard value.count >= 2, bytes[value.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inner = bytes[value.lowerBound + 1..<value.upperBound - 1]
        guard inner.contains(UInt8(ascii: "\\")) else { return Array(inner) }
        var text: [UInt8] = []
        var position = inner.startIndex
        while position < inner.endIndex {
            guard bytes[position] == UInt8(ascii: "\\") else {
                text.append(bytes[position])
                position += 1
                continue
            }
            let escape = JSONText.unescape(at: position, before: inner.endIndex, in: bytes.span)
            guard let (character, count) = escape else { return nil }
            text += UTF8.encode(character) ?? UTF8.encodedReplacementCharacter
            position += count
        }
        return text
    }

    /// Returns a value without white space between its parts, which makes it one line.
    func compact(_ value: Range<Int>) -> [UInt8] {
        var compact: [UInt8] = []
        compact.reserveCapacity(value.count)
        var (isText, isEscaped) = (false, false)
        for byte in bytes[value] {
            if !isText, JSONSliceScanner.isSpace(byte) { continue }
            compact.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isText.toggle()
            } else {
                isEscaped = isText && byte == UInt8(ascii: "\\")
            }
        }
        return compact
    }
}
