// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

/// Writes CBOR in its shortest encoding, for comparison with what was read.
struct CBORWriter {
    private(set) var bytes: [UInt8] = []

    static func bytes(of value: CBORValue) -> [UInt8] {
        var writer = CBORWriter()
        writer.write(value)
        return writer.bytes
    }

    private mutating func write(_ value: CBORValue) {
        switch value {
        case .unsigned(let number): head(0x00, number)
        case .negative(let number): head(0x20, number)
        case .bytes(let content):
            head(0x40, UInt64(content.count))
            bytes += content
        case .text(let text):
            head(0x60, UInt64(text.utf8.count))
            bytes += Array(text.utf8)
        case .array(let elements):
            head(0x80, UInt64(elements.count))
            for element in elements { write(element) }
        case .map(let members):
            head(0xA0, UInt64(members.count))
            for member in members {
                write(member.key)
                write(member.value)
            }
        case .bool(let value): bytes.append(value ? 0xF5 : 0xF4)
        case .null: bytes.append(0xF6)
        }
    }

    private mutating func head(_ kind: UInt8, _ number: UInt64) {
        guard number >= 24 else { return bytes.append(kind + UInt8(number)) }
        let power = number <= UInt8.max ? 0 : number <= UInt16.max ? 1 : number <= UInt32.max ? 2 : 3
        bytes.append(kind + 24 + UInt8(power))
        for place in (0..<(1 << power)).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place)))
        }
    }
}
