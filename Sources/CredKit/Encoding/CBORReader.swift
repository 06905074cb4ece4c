// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Reads CBOR as authenticators must write it (CTAP 2.1 §8): each number in its shortest form, definite lengths, no tags, no
/// floating-point numbers, no repeated keys, at most four levels of arrays and maps.
///
/// The order of keys is not checked: devices exist that do not sort them. Nothing is allocated for a length that the
/// input does not have.
struct CBORReader {
    /// Why bytes are rejected.
    enum Failure: String, Error {
        case incomplete = "it ends too early"
        case notShortest = "a number is not in its shortest form"
        case unsupported = "it has an indefinite length, a tag or an unsupported kind of value"
        case invalidText = "a text is not UTF-8"
        case invalidKey = "a key of a map is neither a number nor a byte string nor a text"
        case repeatedKey = "a key of a map is repeated"
        case tooDeep = "it has too many levels"
        case trailingBytes = "there are bytes behind the value"
    }

    /// The maximum number of arrays and maps within each other.
    static let maximumDepth = 4

    private let bytes: [UInt8]
    /// The offset of the next value.
    private(set) var position: Int

    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - position: The offset of the first value, at most the number of bytes.
    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// Reads bytes that are one value and nothing else.
    static func value(of bytes: [UInt8]) throws(Failure) -> CBORValue {
        var reader = CBORReader(bytes)
        let value = try reader.value()
        guard reader.position == bytes.count else { throw .trailingBytes }
        return value
    }

    /// Reads the next value.
    mutating func value() throws(Failure) -> CBORValue { try value(depth: 0) }

    private mutating func value(depth: Int) throws(Failure) -> CBORValue {
        guard position < bytes.count else { throw .incomplete }
        let (kind, information) = (bytes[position] >> 5, bytes[position] & 0x1F)
        position += 1
        if kind == 7 {
            switch information {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .unsupported
            }
        }
        let argument = try argument(information)
        switch kind {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(Array(try content(argument)))
        case 3:
            guard let text = String(validating: try content(argument), as: UTF8.self) else {
                throw .invalidText
            }
            return .text(text)
        case 4: return .array(try elements(argument, depth: depth))
        case 5: return .map(try members(argument, depth: depth))
        default: throw .unsupported
        }
    }

    /// Reads the number behind the first byte of a value.
    private mutating func argument(_ information: UInt8) throws(Failure) -> UInt64 {
        guard information >= 24 else { return UInt64(information) }
        guard information <= 27 else { throw .unsupported }
        let byteCount = 1 << Int(information - 24)
        var number: UInt64 = 0
        for byte in try content(UInt64(byteCount)) { number = number << 8 | UInt64(byte) }
        let isShortest =
            switch byteCount {
            case 1: number >= 24
            case 2: number > UInt64(UInt8.max)
            case 4: number > UInt64(UInt16.max)
            default: number > UInt64(UInt32.max)
            }
        guard isShortest else { throw .notShortest }
        return number
    }

    private mutating func content(_ count: UInt64) throws(Failure) -> ArraySlice<UInt8> {
        let end = position + (try checked(count, bytesEach: 1))
        defer { position = end }
        return bytes[position..<end]
    }

    private mutating func elements(_ count: UInt64, depth: Int) throws(Failure) -> [CBORValue] {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        var elements: [CBORValue] = []
        for _ in 0..<(try checked(count, bytesEach: 1)) { elements.append(try value(depth: depth + 1)) }
        return elements
    }

    private mutating func members(_ count: UInt64, depth: Int) throws(Failure) -> [CBORValue.Member] {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        var members: [CBORValue.Member] = []
        // A key has one encoding only. Texts are compared as bytes, since Swift's are equal if they look the same.
        var keys: Set<ArraySlice<UInt8>> = []
        for _ in 0..<(try checked(count, bytesEach: 2)) {
            let start = position
            let key = try value(depth: depth + 1)
            switch key {
            case .unsigned, .negative, .bytes, .text: break
            default: throw .invalidKey
            }
            guard keys.insert(bytes[start..<position]).inserted else { throw .repeatedKey }
            members.append(CBORValue.Member(key: key, value: try value(depth: depth + 1)))
        }
        return members
    }

    /// Returns a number of bytes, elements or members, if so many can follow.
    private func checked(_ count: UInt64, bytesEach: Int) throws(Failure) -> Int {
        guard let count = Int(exactly: count), count <= (bytes.count - position) / bytesEach else {
            throw .incomplete
        }
        return count
    }
}
