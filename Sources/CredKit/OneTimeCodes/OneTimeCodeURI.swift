// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The structure of an `otpauth://` URI, as the wiki of google-authenticator describes it ("Key Uri Format"):
/// `otpauth://TYPE/LABEL?FIELD=VALUE&…`. Parts are ranges of the text, which is a secret. `OneTimeCodeKey+URI` judges
/// their values.
struct OneTimeCodeURI {
    /// The maximum length in bytes: enough for the longest seed, issuer and account with every byte escaped.
    static let maximumByteCount = 8192

    private static let scheme = "otpauth://"

    /// The fields that are read. A field that is not listed is ignored: apps add colors and images.
    enum Field: String, CaseIterable {
        case secret, issuer, algorithm, digits, period, counter, encoder
    }

    /// `totp` or `hotp`, in any case.
    let type: Range<Int>
    /// The label: the account, usually with the issuer before it.
    let label: Range<Int>
    private(set) var fields: [Field: Range<Int>] = [:]

    /// Takes a URI apart.
    ///
    /// - Parameter uri: The text.
    /// - Throws: ``OneTimeCodeError``.
    init(_ uri: Span<UInt8>) throws(OneTimeCodeError) {
        guard uri.count <= Self.maximumByteCount else {
            throw .overLimit(
                "the URI has \(uri.count) bytes; at most \(Self.maximumByteCount) are accepted"
            )
        }
        guard !uri.hasPrefix("steam://") else { throw .steam }
        guard uri.hasPrefix(Self.scheme) else { throw .wrongScheme }
        // Programs write the spaces of names without an escape.
        for index in uri.indices where uri[index] < 0x20 || uri[index] == 0x7F || uri[index] == 0x23 {
            throw .malformedURI("a character that must be escaped, at offset \(index)")
        }
        let start = Self.scheme.utf8.count
        let query = uri.firstIndex(of: UInt8(ascii: "?"), in: start..<uri.count) ?? uri.count
        let slash = uri.firstIndex(of: UInt8(ascii: "/"), in: start..<query)
        // KeePassOTP writes no label: otpauth://totp?secret=…
        guard slash != nil || query < uri.count else { throw .malformedURI("there is no label") }
        type = start..<(slash ?? query)
        label = (slash.map { $0 + 1 } ?? query)..<query
        var rest = min(query + 1, uri.count)
        while rest < uri.count {
            let end = uri.firstIndex(of: UInt8(ascii: "&"), in: rest..<uri.count) ?? uri.count
            try add(rest..<end, of: uri)
            rest = end + 1
        }
    }

    private mutating func add(_ part: Range<Int>, of uri: Span<UInt8>) throws(OneTimeCodeError) {
        let sign = uri.firstIndex(of: UInt8(ascii: "="), in: part) ?? part.upperBound
        let name = part.lowerBound..<sign
        guard let field = Field.allCases.first(where: { uri.extracting(name).isWord($0.rawValue) }) else {
            return
        }
        guard sign < part.upperBound else { throw .malformedURI("the field '\(field)' has no value") }
        guard fields.updateValue(sign + 1..<part.upperBound, forKey: field) == nil else {
            throw .repeatedField(field.rawValue)
        }
    }
}

extension Span<UInt8> {
    /// Returns the first index of a byte in a range.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        range.first { self[$0] == byte }
    }

    /// The range without the white space at the ends.
    var trimmedRange: Range<Int> {
        func isSpace(_ index: Int) -> Bool { self[index] == 0x20 || 9...13 ~= self[index] }
        var range = 0..<count
        while let first = range.first, isSpace(first) { range = first + 1..<range.upperBound }
        while let last = range.last, isSpace(last) { range = range.lowerBound..<last }
        return range
    }

    /// Returns whether a lowercase word stands at the beginning, in any case.
    func hasPrefix(_ word: String) -> Bool {
        let length = word.utf8.count
        return count >= length && extracting(0..<length).isWord(word)
    }

    /// Returns whether these are the characters of a lowercase word, in any case.
    func isWord(_ word: String) -> Bool {
        let word = Array(word.utf8)
        return count == word.count && word.indices.allSatisfy { self[$0].lowercased == word[$0] }
    }
}

extension SecretBytes {
    /// Returns a text of a URI without its percent-encoding.
    static func unescaping(_ text: Span<UInt8>) throws(OneTimeCodeError) -> SecretBytes {
        var failure: PercentCoding.DecodingError?
        let plain: SecretBytes = try .forCodes { () throws(SecretMemoryError) in
            try SecretBytes(capacity: text.count) { output in
                do throws(PercentCoding.DecodingError) {
                    try PercentCoding.component.decode(text, into: &output)
                } catch {
                    failure = error
                }
            }
        }
        guard failure == nil else { throw .malformedEscape }
        return plain
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { 0x41...0x5A ~= self ? self + 0x20 : self }
}
