// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Eight byte lanes in one machine word. Additions must not carry from one lane into the next; each use says
/// why it cannot.
enum Lanes {
    /// The same byte in every lane.
    @inline(__always)
    static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// 1 in each lane whose value, at most 127, is at least `bound`; 0 in the others.
    ///
    /// No carry: the sum of two numbers up to 127 and 128 stays within the lane.
    @inline(__always)
    static func atLeast(_ bound: UInt8, _ lanes: UInt64) -> UInt64 {
        ((lanes &+ all(128 - bound)) >> 7) & all(1)
    }
}

/// From six-bit values to characters, eight at a time.
struct EncodingLanes {
    /// What the value 62 stands below the digits carried on, and what 63 stands above that. Both are at least 0.
    private let from62: UInt64
    private let from63: UInt64

    @inline(__always)
    init(_ alphabet: Base64.Alphabet) {
        // Values from 52 on have their character 4 below them; carried on, 62 and 63 would be the characters 58 and 59.
        from62 = UInt64(58 - alphabet.character62)
        from63 = UInt64(alphabet.character63 + (58 - alphabet.character62) - 59)
    }

    /// The eight characters of six bytes.
    ///
    /// - Parameter word: The bytes in its low 48 bits, the first one highest.
    /// - Returns: The characters, the first one highest.
    @inline(__always)
    func characters(of word: UInt64) -> UInt64 {
        // Spread 48 bits over eight lanes: halves of 24, of 12, of 6.
        var lanes = (word & 0xFFFF_FF00_0000) << 8 | (word & 0xFF_FFFF)
        lanes = (lanes & 0x00FF_F000_00FF_F000) << 4 | (lanes & 0x0000_0FFF_0000_0FFF)
        lanes = (lanes & 0x0FC0_0FC0_0FC0_0FC0) << 2 | (lanes & 0x003F_003F_003F_003F)

        // Start in A-Z and move on by the distance to the next range at each bound that is reached. No carry
        // and no borrow: at no step is a lane below 0 or above 63 + 65 + 6 = 134.
        let value = lanes
        var characters = value &+ Lanes.all(65)
        characters = characters &+ Lanes.atLeast(26, value) &* 6
        characters = characters &- Lanes.atLeast(52, value) &* 75
        characters = characters &- Lanes.atLeast(62, value) &* from62
        return characters &+ Lanes.atLeast(63, value) &* from63
    }
}

/// From characters to six-bit values, eight at a time.
struct DecodingLanes {
    /// Eight characters of value 0: they fill up a word that has fewer.
    static let zeros: UInt64 = 0x4141_4141_4141_4141

    private let letter = Range("a", "z")
    private let digit = Range("0", "9")
    private let character62: Range
    private let character63: Range

    /// What to add to the low five bits of each of the two characters to have its value in the low six.
    private let to62: UInt64
    private let to63: UInt64

    @inline(__always)
    init(_ alphabet: Base64.Alphabet) {
        character62 = Range(Unicode.Scalar(alphabet.character62), Unicode.Scalar(alphabet.character62))
        character63 = Range(Unicode.Scalar(alphabet.character63), Unicode.Scalar(alphabet.character63))
        to62 = UInt64((62 &- (alphabet.character62 & 31)) & 63)
        to63 = UInt64((63 &- (alphabet.character63 & 31)) & 63)
    }

    /// The six bytes of eight characters.
    ///
    /// - Parameter word: The characters, the first one highest.
    /// - Returns: The bytes in the low 48 bits, the first one highest, and whether all eight characters belong
    ///   to the alphabet; if not, the bytes mean nothing.
    @inline(__always)
    func bytes(of word: UInt64) -> (bytes: UInt64, isValid: Bool) {
        let character = word & Lanes.all(0x7F)

        // Each has the high bit set in the lanes whose character lies in that range; no lane lies in two. With
        // bit 5 set both cases of a letter are in one range, and nothing else gets there.
        let letters = letter.lanes(within: character | Lanes.all(0x20))
        let digits = digit.lanes(within: character)
        let is62 = character62.lanes(within: character)
        let is63 = character63.lanes(within: character)
        let valid = (letters | digits | is62 | is63) & ~word & Lanes.all(0x80)

        // From the low five bits it is one distance to the value for each range: modulo 64, -1 for uppercase
        // letters, 25 for lowercase ones, 36 for digits. No carry: the largest sum is 31 + 63 + 26.
        let isLetter = Self.ones(letters)
        var lanes = character & Lanes.all(0x1F)
        lanes = lanes &+ isLetter &* 63 &+ (isLetter & character >> 5) &* 26
        lanes = lanes &+ Self.ones(digits) &* 36 &+ Self.ones(is62) &* to62 &+ Self.ones(is63) &* to63
        lanes &= Lanes.all(0x3F)

        // Close the lanes up: pairs of 6 bits, of 12, of 24.
        lanes = (lanes & 0x3F00_3F00_3F00_3F00) >> 2 | (lanes & 0x003F_003F_003F_003F)
        lanes = (lanes & 0x0FFF_0000_0FFF_0000) >> 4 | (lanes & 0x0000_0FFF_0000_0FFF)
        lanes = (lanes & 0x00FF_FFFF_0000_0000) >> 8 | (lanes & 0x0000_0000_00FF_FFFF)
        return (lanes, valid == Lanes.all(0x80))
    }

    /// 1 in the lanes whose high bit is set, 0 in the others.
    @inline(__always)
    private static func ones(_ lanes: UInt64) -> UInt64 { (lanes >> 7) & Lanes.all(1) }

    /// A range of ASCII characters, as what to add to have the high bit set from its bounds on.
    private struct Range {
        private let fromLow: UInt64
        private let pastHigh: UInt64

        @inline(__always)
        init(_ low: Unicode.Scalar, _ high: Unicode.Scalar) {
            fromLow = Lanes.all(UInt8(128 - low.value))
            pastHigh = Lanes.all(UInt8(127 - high.value))
        }

        /// The high bit is set in the lanes, of at most 127 each, whose character lies in the range; the other
        /// bits mean nothing. No carry: the sums are at most 127 + 128.
        @inline(__always)
        func lanes(within characters: UInt64) -> UInt64 {
            // Where the upper bound is passed the lower one is too.
            (characters &+ fromLow) ^ (characters &+ pastHigh)
        }
    }
}
