// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Decodes the subset of serialized GVariant that keyring files use: tuples, arrays whose elements have no fixed size,
/// and strings. Only the normal form is accepted, in which every byte is significant.
///
/// A container ends with *framing offsets*, little-endian, which state where its children without a fixed size end. The
/// size of an offset follows from the size of the whole container. See the
/// [specification](https://people.gnome.org/~desrt/gvariant-serialisation.pdf).
enum GVariant {
    /// Returns the size of the framing offsets of a container.
    private static func offsetByteCount(inContainerOf count: Int) -> Int {
        switch count {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    /// Returns the little-endian number in a range.
    fileprivate static func number(_ range: Range<Int>, of bytes: Span<UInt8>) -> UInt64 {
        range.reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// Returns the elements of an array, which have no fixed size and need no alignment.
    ///
    /// - Parameters:
    ///   - range: The range of the array.
    ///   - limit: The maximum number of elements.
    ///   - bytes: The bytes that contain the array.
    /// - Returns: The elements' ranges.
    /// - Throws: ``KeychainError/damaged``, ``KeychainError/overLimit``.
    static func elements(
        of range: Range<Int>,
        limit: Int,
        in bytes: Span<UInt8>
    ) throws(KeychainError) -> [Range<Int>] {
        guard !range.isEmpty else { return [] }
        let size = offsetByteCount(inContainerOf: range.count)
        guard range.count >= size,
            // The last offset states where the last element ends, which is also where the first offset begins.
            let end = Int(exactly: number(range.upperBound - size..<range.upperBound, of: bytes)),
            end < range.count, (range.count - end).isMultiple(of: size)
        else { throw malformed }
        let count = (range.count - end) / size
        guard count <= limit else {
            throw .overLimit("the keyring has an array of more than \(limit) elements")
        }
        var elements: [Range<Int>] = []
        elements.reserveCapacity(count)
        var start = range.lowerBound
        for index in 0..<count {
            let offset = range.lowerBound + end + index * size
            guard let next = Int(exactly: number(offset..<offset + size, of: bytes)), next <= end,
                range.lowerBound + next >= start
            else { throw malformed }
            elements.append(start..<range.lowerBound + next)
            start = range.lowerBound + next
        }
        return elements
    }

    /// Returns the text of a string, which ends with its only NUL.
    static func string(_ range: Range<Int>, in bytes: Span<UInt8>) throws(KeychainError) -> String {
        guard let end = range.last, bytes[end] == 0 else { throw malformed }
        let utf8 = range.dropLast().map { bytes[$0] }
        guard !utf8.contains(0), let text = String(validating: utf8, as: UTF8.self) else { throw malformed }
        return text
    }

    static let malformed = KeychainError.damaged("the keyring is damaged: its structure is invalid")
}

extension GVariant {
    /// Reads the members of a tuple or of a dictionary entry in order. The last member must have no fixed size.
    struct Tuple {
        private let range: Range<Int>
        /// The position where the members end and the framing offsets begin.
        private let end: Int
        private let offsetByteCount: Int
        private var position: Int
        private var nextOffset: Int

        /// Creates a reader of a tuple.
        ///
        /// - Parameters:
        ///   - range: The range of the tuple.
        ///   - offsetCount: The number of members without a fixed size, except the last.
        /// - Throws: ``KeychainError/damaged`` if the offsets alone are larger than the tuple.
        init(_ range: Range<Int>, offsetCount: Int) throws(KeychainError) {
            offsetByteCount = GVariant.offsetByteCount(inContainerOf: range.count)
            guard range.count >= offsetCount * offsetByteCount else { throw GVariant.malformed }
            self.range = range
            end = range.upperBound - offsetCount * offsetByteCount
            position = range.lowerBound
            nextOffset = range.upperBound
        }

        /// Reads a number, which is aligned to its own size.
        mutating func number<Number: FixedWidthInteger>(
            _ type: Number.Type,
            in bytes: Span<UInt8>
        ) throws(KeychainError) -> Number {
            let size = MemoryLayout<Number>.size
            while !(position - range.lowerBound).isMultiple(of: size) {
                guard position < end, bytes[position] == 0 else { throw GVariant.malformed }
                position += 1
            }
            guard end - position >= size else { throw GVariant.malformed }
            defer { position += size }
            return Number(truncatingIfNeeded: GVariant.number(position..<position + size, of: bytes))
        }

        /// Reads a member without a fixed size that needs no alignment and is not the last.
        mutating func member(in bytes: Span<UInt8>) throws(KeychainError) -> Range<Int> {
            // The offset of the first member is stored last.
            let offset = nextOffset - offsetByteCount..<nextOffset
            guard offset.lowerBound >= end, let count = Int(exactly: GVariant.number(offset, of: bytes)),
                count <= end - range.lowerBound, range.lowerBound + count >= position
            else { throw GVariant.malformed }
            defer { (position, nextOffset) = (range.lowerBound + count, offset.lowerBound) }
            return position..<range.lowerBound + count
        }

        /// The range of the last member, which needs no alignment.
        var last: Range<Int> { position..<end }
    }
}
