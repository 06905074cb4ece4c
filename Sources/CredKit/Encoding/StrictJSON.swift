// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A value of JSON ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)), for stored hashes and passkeys. The caller has
/// limited the length of the text.
///
/// Bytes that are not UTF-8, names that are repeated or longer than ``maximumNameByteCount``, surrogates without their other half,
/// more than ``maximumDepth`` levels, and anything behind the value are rejected.
package enum StrictJSON: Sendable {
    case object([String: StrictJSON])
    case array([StrictJSON])
    case string(String)
    /// A number, as it is written.
    case number(String)
    case bool(Bool)
    case null

    /// The deepest value within values. A credential of Keycloak has 3 levels.
    static let maximumDepth = 8

    /// The longest name of a member. Swift sorts a run of combining characters to hash or compare it, in a time that grows with
    /// the square of its length.
    static let maximumNameByteCount = 128

    /// Why a text is rejected.
    package struct ParsingError: Error {
        /// The reason as a sentence, which contains nothing of the text.
        package let reason: String
    }

    /// Parses a text.
    package init(parsing text: some Collection<UInt8>) throws(ParsingError) {
        let bytes = Array(text)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw ParsingError(reason: "the JSON value is not UTF-8")
        }
        var reader = Reader(bytes: bytes)
        self = try reader.value(depth: 0)
        guard reader.next == nil else {
            throw ParsingError(reason: "there is unexpected data behind the JSON value")
        }
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// Returns whether this is a text with the same bytes; see ``maximumNameByteCount``.
    func isText(_ text: String) -> Bool { string?.utf8.elementsEqual(text.utf8) ?? false }

    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    package var array: [StrictJSON]? { if case .array(let elements) = self { elements } else { nil } }

    package var object: [String: StrictJSON]? { if case .object(let members) = self { members } else { nil } }

    /// Whether this is null, or an object without members.
    var isEmpty: Bool {
        switch self {
        case .null: true
        case .object(let members): members.isEmpty
        default: false
        }
    }
}

extension StrictJSON {
    /// Reads values from bytes.
    private struct Reader {
        let bytes: [UInt8]
        private var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// The next byte that is not white space; `nil` at the end.
        var next: UInt8? {
            mutating get {
                while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                    position += 1
                }
                return current
            }
        }

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func value(depth: Int) throws(ParsingError) -> StrictJSON {
            guard depth < StrictJSON.maximumDepth else {
                throw ParsingError(reason: "the JSON value has too many levels")
            }
            guard let byte = next else { throw Self.malformed }
            switch byte {
            case UInt8(ascii: "{"): return .object(try members(depth: depth))
            case UInt8(ascii: "["): return .array(try elements(depth: depth))
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t"): return try word("true", .bool(true))
            case UInt8(ascii: "f"): return try word("false", .bool(false))
            case UInt8(ascii: "n"): return try word("null", .null)
            default: return .number(try number())
            }
        }

        private mutating func members(depth: Int) throws(ParsingError) -> [String: StrictJSON] {
            position += 1
            guard next != UInt8(ascii: "}") else {
                position += 1
                return [:]
            }
            // A response of WebAuthn has 7 members, so its table need not grow.
            var members = [String: StrictJSON](minimumCapacity: 8)
            while true {
                guard next == UInt8(ascii: "\"") else { throw Self.malformed }
                let name = try string()
                guard name.utf8.count <= StrictJSON.maximumNameByteCount else {
                    throw ParsingError(reason: "a name of a JSON object is too long")
                }
                guard next == UInt8(ascii: ":") else { throw Self.malformed }
                position += 1
                guard members.updateValue(try value(depth: depth + 1), forKey: name) == nil else {
                    throw ParsingError(reason: "a name of a JSON object is repeated")
                }
                guard try hasMore(before: UInt8(ascii: "}")) else { return members }
            }
        }

        private mutating func elements(depth: Int) throws(ParsingError) -> [StrictJSON] {
            position += 1
            var elements: [StrictJSON] = []
            guard next != UInt8(ascii: "]") else {
                position += 1
                return elements
            }
            while true {
                elements.append(try value(depth: depth + 1))
                guard try hasMore(before: UInt8(ascii: "]")) else { return elements }
            }
        }

        /// Reads a comma, or the end of an object or array.
        private mutating func hasMore(before end: UInt8) throws(ParsingError) -> Bool {
            guard let byte = next, byte == end || byte == UInt8(ascii: ",") else { throw Self.malformed }
            position += 1
            return byte != end
        }

        private mutating func word(_ word: String, _ value: StrictJSON) throws(ParsingError) -> StrictJSON {
            guard bytes[position...].starts(with: word.utf8) else { throw Self.malformed }
            position += word.utf8.count
            return value
        }

        private mutating func string() throws(ParsingError) -> String {
            position += 1
            let start = position
            // Most texts have no escapes, and are copied as a whole.
            while let byte = current, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                position += 1
            }
            var content = bytes[start..<position]
            while let byte = current {
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
                case UInt8(ascii: "\\"): content += Array(String(try escaped()).utf8)
                case 0x20...: content.append(byte)
                default: throw ParsingError(reason: "a JSON string contains a control character")
                }
            }
            throw Self.malformed
        }

        private mutating func escaped() throws(ParsingError) -> Unicode.Scalar {
            guard let byte = current else { throw Self.malformed }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{C}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"): break
            default: throw Self.malformed
            }
            let unit = try codeUnit()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            // A surrogate, which must be the first of two.
            guard 0xD800..<0xDC00 ~= unit, current == UInt8(ascii: "\\") else { throw Self.malformed }
            position += 1
            guard current == UInt8(ascii: "u") else { throw Self.malformed }
            position += 1
            let second = try codeUnit()
            guard 0xDC00..<0xE000 ~= second,
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
            else { throw Self.malformed }
            return scalar
        }

        /// Reads four hexadecimal digits.
        private mutating func codeUnit() throws(ParsingError) -> UInt32 {
            let digits = bytes[position...].prefix(4)
            guard digits.count == 4, let pair = try? Hex.decode(Array(digits)), pair.count == 2 else {
                throw Self.malformed
            }
            position += 4
            return UInt32(pair[0]) << 8 | UInt32(pair[1])
        }

        private mutating func number() throws(ParsingError) -> String {
            let start = position
            if current == UInt8(ascii: "-") { position += 1 }
            let first = current
            guard try digits() == 1 || first != UInt8(ascii: "0") else { throw Self.malformed }
            if current == UInt8(ascii: ".") {
                position += 1
                _ = try digits()
            }
            if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
                position += 1
                if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
                _ = try digits()
            }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        /// Skips decimal digits, and returns how many there were, at least one.
        private mutating func digits() throws(ParsingError) -> Int {
            let start = position
            while let byte = current, 48...57 ~= byte { position += 1 }
            guard position > start else { throw Self.malformed }
            return position - start
        }

        private static let malformed = ParsingError(reason: "it is not valid JSON")
    }
}
