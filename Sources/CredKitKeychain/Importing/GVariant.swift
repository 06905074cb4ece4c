// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Reads the little of GVariant's serialised form that keyring files are made of: tuples, arrays whose elements have no
/// fixed size, and strings. Only the normal form is accepted, in which every byte has its meaning.
///
/// A container ends in *framing offsets*, little-endian, which say where those of its children end whose size is not
/// fixed. How many bytes an offset has follows from the size of the whole container. See the
/// [specification](https://people.gnome.org/~desrt/gvariant-serialisation.pdf).
enum GVariant {
    /// The size of the framing offsets of a container.
    private static func offsetByteCount(inContainerOf count: Int) -> Int {
        switch count {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    /// The little-endian number in a range.
    fileprivate static func number(_ range: Range<Int>, of bytes: Span<UInt8>) -> UInt64 {
        range.reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// The elements of an array of bytes, which have no fixed size and need no alignment.
    ///
    /// - Parameters:
    ///   - range: The array.
    ///   - limit: The most elements that it may have.
    ///   - bytes: What it is in.
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
            // The last offset says where the last element ends and the first offset stands.
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

    /// The text of a string, which ends in its only NUL.
    static func string(_ range: Range<Int>, in bytes: Span<UInt8>) throws(KeychainError) -> String {
        guard let end = range.last, bytes[end] == 0 else { throw malformed }
        let utf8 = range.dropLast().map { bytes[$0] }
        guard !utf8.contains(0), let text = String(validating: utf8, as: UTF8.self) else { throw malformed }
        return text
    }

    static let malformed = KeychainError.damaged("the keyring is damaged: its parts do not fit together")
}

extension GVariant {
    /// Reads the members of a tuple, or of a dictionary's entry, one after the other. The last member must be one
    /// without a fixed size.
    struct Tuple {
        private let range: Range<Int>
        /// Where the members end and the framing offsets begin.
        private let end: Int
        private let offsetByteCount: Int
        private var position: Int
        private var nextOffset: Int

        /// A tuple.
        ///
        /// - Parameters:
        ///   - range: Where it is.
        ///   - offsetCount: How many members have no fixed size, without the last.
        /// - Throws: ``KeychainError/damaged`` when the offsets alone are larger.
        init(_ range: Range<Int>, offsetCount: Int) throws(KeychainError) {
            offsetByteCount = GVariant.offsetByteCount(inContainerOf: range.count)
            guard range.count >= offsetCount * offsetByteCount else { throw GVariant.malformed }
            self.range = range
            end = range.upperBound - offsetCount * offsetByteCount
            position = range.lowerBound
            nextOffset = range.upperBound
        }

        /// A number, which is aligned to its own size.
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

        /// A member without a fixed size that needs no alignment, and is not the last.
        mutating func member(in bytes: Span<UInt8>) throws(KeychainError) -> Range<Int> {
            // The first one's offset stands last.
            let offset = nextOffset - offsetByteCount..<nextOffset
            guard offset.lowerBound >= end, let count = Int(exactly: GVariant.number(offset, of: bytes)),
                count <= end - range.lowerBound, range.lowerBound + count >= position
            else { throw GVariant.malformed }
            defer { (position, nextOffset) = (range.lowerBound + count, offset.lowerBound) }
            return position..<range.lowerBound + count
        }

        /// The last member, which needs no alignment.
        var last: Range<Int> { position..<end }
    }
}
