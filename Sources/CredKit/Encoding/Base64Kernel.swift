// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The inner loops of Base64 over whole groups: three bytes are four characters.
///
/// Everything above this type (padding, lines, whitespace, errors) is policy and works a group or a line at a
/// time; everything here is arithmetic on eight lanes of a machine word, with no branch and no memory access
/// that depends on the data, save for one: decoding stops at the first block that is not valid.
///
/// A kernel for an instruction set replaces ``encode(_:groups:to:alphabet:)`` and
/// ``decode(_:groups:to:alphabet:)`` and nothing else.
enum Base64Kernel {
    /// Encodes groups of three bytes into groups of four characters.
    ///
    /// - Parameters:
    ///   - source: `3 * groups` readable bytes.
    ///   - groups: The number of groups.
    ///   - target: `4 * groups` writable bytes.
    ///   - alphabet: The alphabet to write.
    static func encode(
        _ source: UnsafeRawPointer,
        groups: Int,
        to target: UnsafeMutablePointer<UInt8>,
        alphabet: Base64.Alphabet
    ) {
        let lanes = EncodingLanes(alphabet)
        let target = UnsafeMutableRawPointer(target)
        var group = 0
        // Two groups a step. A step loads eight bytes for the six that it uses, so three groups must remain.
        while group + 3 <= groups {
            let word = unsafe UInt64(
                bigEndian: source.loadUnaligned(fromByteOffset: 3 * group, as: UInt64.self)
            )
            let characters = lanes.characters(of: word >> 16)
            unsafe target.storeBytes(of: characters.bigEndian, toByteOffset: 4 * group, as: UInt64.self)
            group += 2
        }
        while group < groups {
            let bytes = unsafe source + 3 * group
            let characters = unsafe encodeGroup(
                bytes.load(as: UInt8.self),
                bytes.load(fromByteOffset: 1, as: UInt8.self),
                bytes.load(fromByteOffset: 2, as: UInt8.self),
                alphabet: alphabet
            )
            unsafe target.storeBytes(of: characters.bigEndian, toByteOffset: 4 * group, as: UInt32.self)
            group += 1
        }
    }

    /// The four characters of one group, the first in the highest byte.
    static func encodeGroup(
        _ first: UInt8,
        _ second: UInt8,
        _ third: UInt8,
        alphabet: Base64.Alphabet
    ) -> UInt32 {
        let word = UInt64(first) << 40 | UInt64(second) << 32 | UInt64(third) << 24
        return UInt32(EncodingLanes(alphabet).characters(of: word) >> 32)
    }

    /// Decodes groups of four characters into groups of three bytes, up to the first group that holds anything
    /// but characters of the alphabet.
    ///
    /// - Parameters:
    ///   - source: `4 * groups` readable bytes.
    ///   - groups: The number of groups.
    ///   - target: `3 * groups` writable bytes.
    ///   - alphabet: The alphabet to read.
    /// - Returns: The number of groups that were decoded.
    static func decode(
        _ source: UnsafeRawPointer,
        groups: Int,
        to target: UnsafeMutablePointer<UInt8>,
        alphabet: Base64.Alphabet
    ) -> Int {
        let lanes = DecodingLanes(alphabet)
        let target = UnsafeMutableRawPointer(target)
        var group = 0
        // Two groups a step. A step stores eight bytes of which six count, so three groups must remain.
        while group + 3 <= groups {
            let word = unsafe UInt64(
                bigEndian: source.loadUnaligned(fromByteOffset: 4 * group, as: UInt64.self)
            )
            let (bytes, isValid) = lanes.bytes(of: word)
            guard isValid else { break }
            unsafe target.storeBytes(of: (bytes << 16).bigEndian, toByteOffset: 3 * group, as: UInt64.self)
            group += 2
        }
        while group < groups {
            let word = unsafe UInt32(
                bigEndian: source.loadUnaligned(fromByteOffset: 4 * group, as: UInt32.self)
            )
            let (bytes, isValid) = lanes.bytes(of: UInt64(word) << 32 | DecodingLanes.zeros >> 32)
            guard isValid else { break }
            for index in 0..<3 {
                let byte = UInt8(truncatingIfNeeded: bytes >> UInt64(40 - 8 * index))
                unsafe target.storeBytes(of: byte, toByteOffset: 3 * group + index, as: UInt8.self)
            }
            group += 1
        }
        return group
    }

    /// The value of one character, or no value: by the same arithmetic as whole blocks.
    static func value(of character: UInt8, alphabet: Base64.Alphabet) -> UInt8? {
        let word = UInt64(character) << 56 | DecodingLanes.zeros >> 8
        let (bytes, isValid) = DecodingLanes(alphabet).bytes(of: word)
        return isValid ? UInt8(truncatingIfNeeded: bytes >> 42) : nil
    }
}
