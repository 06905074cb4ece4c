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
    /// Eight characters of value 0, to fill up a word with that has fewer.
    static let zeros: UInt64 = 0x4141_4141_4141_4141

    private let character62: UInt8
    private let character63: UInt8
    /// What to add to each of the two characters to have its value in the low six bits.
    private let to62: UInt64
    private let to63: UInt64

    @inline(__always)
    init(_ alphabet: Base64.Alphabet) {
        character62 = alphabet.character62
        character63 = alphabet.character63
        to62 = UInt64((62 &- alphabet.character62) & 63)
        to63 = UInt64((63 &- alphabet.character63) & 63)
    }

    /// The six bytes of eight characters.
    ///
    /// - Parameter word: The characters, the first one highest.
    /// - Returns: The bytes in the low 48 bits, the first one highest, and whether all eight characters belong
    ///   to the alphabet; if not, the bytes mean nothing.
    @inline(__always)
    func bytes(of word: UInt64) -> (bytes: UInt64, isValid: Bool) {
        let character = word & Lanes.all(0x7F)

        // Each is 1 in the lanes whose character lies in that range; a lane is 1 in at most one of them.
        let upper = Self.within(65, 90, character)
        let lower = Self.within(97, 122, character)
        let digit = Self.within(48, 57, character)
        let is62 = Self.within(character62, character62, character)
        let is63 = Self.within(character63, character63, character)
        let isASCII = ~(word >> 7) & Lanes.all(1)
        let valid = (upper | lower | digit | is62 | is63) & isASCII

        // The high bit of each lane is set while distances are taken off and added: no borrow, since at least
        // 128 - 71 is left, and no carry, since the largest sum is 128 + 95 + 32 (the URL-safe 63).
        var lanes = character | Lanes.all(0x80)
        lanes = lanes &- (upper &* 65 &+ lower &* 71)
        lanes = lanes &+ (digit &* 4 &+ is62 &* to62 &+ is63 &* to63)
        lanes &= Lanes.all(0x3F)

        // Close the lanes up: pairs of 6 bits, of 12, of 24.
        lanes = (lanes & 0x3F00_3F00_3F00_3F00) >> 2 | (lanes & 0x003F_003F_003F_003F)
        lanes = (lanes & 0x0FFF_0000_0FFF_0000) >> 4 | (lanes & 0x0000_0FFF_0000_0FFF)
        lanes = (lanes & 0x00FF_FFFF_0000_0000) >> 8 | (lanes & 0x0000_0000_00FF_FFFF)
        return (lanes, valid == Lanes.all(1))
    }

    @inline(__always)
    private static func within(_ low: UInt8, _ high: UInt8, _ lanes: UInt64) -> UInt64 {
        // Where the upper bound is passed the lower one is too.
        Lanes.atLeast(low, lanes) ^ Lanes.atLeast(high + 1, lanes)
    }
}
