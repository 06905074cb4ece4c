// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit

extension CBORValue {
    /// The value in its shortest encoding, the members of maps in their order.
    package var encoded: [UInt8] {
        switch self {
        case .unsigned(let number): return Self.head(0, number)
        case .negative(let number): return Self.head(1, number)
        case .bytes(let bytes): return Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): return Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let elements):
            return elements.reduce(Self.head(4, UInt64(elements.count))) { $0 + $1.encoded }
        case .map(let members):
            return members.reduce(Self.head(5, UInt64(members.count))) {
                $0 + $1.key.encoded + $1.value.encoded
            }
        case .bool(let value): return [value ? 0xF5 : 0xF4]
        case .null: return [0xF6]
        }
    }

    private static func head(_ kind: UInt8, _ number: UInt64) -> [UInt8] {
        let bytes: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        switch number {
        case ..<24: return [kind << 5 | bytes[7]]
        case ...0xFF: return [kind << 5 | 24] + bytes.suffix(1)
        case ...0xFFFF: return [kind << 5 | 25] + bytes.suffix(2)
        case ...0xFFFF_FFFF: return [kind << 5 | 26] + bytes.suffix(4)
        default: return [kind << 5 | 27] + bytes
        }
    }
}
