// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import CredKitVectors
import Testing

/// The strict reader of CBOR.
@Suite struct CBORReaderTests {
    private struct Vector: Decodable, Sendable {
        let encoding: HexBytes
        let value: String?
    }

    /// A description as the vectors have it: arrays of a kind and its content, on one line, in ASCII.
    private func described(_ value: CBORValue) -> String {
        switch value {
        case .unsigned(let number): return #"["integer","\#(number)"]"#
        case .negative(let number):
            // The largest has no place in 64 bits.
            let digits = number == .max ? "18446744073709551616" : String(number + 1)
            return #"["integer","-\#(digits)"]"#
        case .bytes(let bytes): return #"["bytes","\#(Hex.encode(bytes))"]"#
        case .text(let text): return #"["text","\#(escaped(text))"]"#
        case .array(let elements): return list("array", elements)
        case .map(let members): return list("map", members.flatMap { [$0.key, $0.value] })
        case .bool(let value): return #"["bool","\#(value)"]"#
        case .null: return #"["null"]"#
        }
    }

    private func list(_ kind: String, _ values: [CBORValue]) -> String {
        "[" + ([#""\#(kind)""#] + values.map(described)).joined(separator: ",") + "]"
    }

    private func escaped(_ text: String) -> String {
        text.utf16.reduce(into: "") { result, unit in
            switch unit {
            case 0x22, 0x5C: result += "\\" + String(UnicodeScalar(UInt8(unit)))
            case 0x20..<0x7F: result += String(UnicodeScalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
    }

    @Test(arguments: [("rfc8949-cbor", 81), ("cbor2-values", 200)])
    func vectors(_ file: String, _ count: Int) throws {
        let vectors = try VectorFile<Vector>.load(file).cases
        #expect(vectors.count == count)
        for vector in vectors {
            let bytes = vector.encoding.bytes
            let value = try? CBORReader.value(of: bytes)
            #expect(value.map(described) == vector.value, "\(Hex.encode(bytes))")
            if let value { #expect(value.encoded == bytes, "\(Hex.encode(bytes))") }
        }
    }

    @Test(arguments: CBORReaderTests.refused)
    func refusal(_ hex: String, _ failure: CBORReader.Failure) throws {
        let bytes = try Hex.decode(hex)
        #expect(throws: failure) { try CBORReader.value(of: bytes) }
    }

    static let refused: [(String, CBORReader.Failure)] = [
        ("", .incomplete), ("18", .incomplete), ("1900ff", .notShortest),
        ("1817", .notShortest), ("1a0000ffff", .notShortest), ("1b00000000ffffffff", .notShortest),
        ("3817", .notShortest), ("580101", .notShortest), ("980100", .notShortest),
        ("b8010000", .notShortest),
        ("1c", .unsupported), ("1f", .unsupported), ("5f", .unsupported), ("9f", .unsupported),
        ("bf", .unsupported), ("c000", .unsupported), ("f7", .unsupported), ("f814", .unsupported),
        ("f90000", .unsupported), ("ff", .unsupported), ("61ff", .invalidText), ("63eda080", .invalidText),
        ("62c080", .invalidText), ("4101ff", .trailingBytes), ("0000", .trailingBytes),
        ("41", .incomplete), ("82", .incomplete), ("a101", .incomplete),
        ("5bffffffffffffffff", .incomplete), ("7b7fffffffffffffff", .incomplete),
        ("9bffffffffffffffff", .incomplete), ("bb7fffffffffffffff", .incomplete),
        ("9affffffff00", .incomplete), ("a2010001", .incomplete), ("a201000100", .repeatedKey),
        ("a26161006161f6", .repeatedKey), ("a1f400", .invalidKey), ("a18000", .invalidKey),
        ("a1a000", .invalidKey), ("8181818180", .tooDeep), ("a100a100a100a100a0", .tooDeep),
    ]

    @Test func depthAndKeysWithinTheLimits() throws {
        for hex in ["81818180", "a100a100a100a0", "a2616100614100", "a3000020004000", "a241610061610f"] {
            #expect(throws: Never.self, "\(hex)") { try CBORReader.value(of: Hex.decode(hex)) }
        }
        // Two texts that look the same are two keys.
        let composed = CBORValue.map([
            .init(key: .text("\u{E9}"), value: .null), .init(key: .text("e\u{301}"), value: .null),
        ])
        #expect(try CBORReader.value(of: composed.encoded).encoded == composed.encoded)
    }

    @Test func valueIsReadFromWithin() throws {
        var reader = CBORReader([0xFF, 0x82, 0x01, 0x02, 0xF6, 0x61], at: 1)
        let array = try reader.value()
        #expect(array == .array([.integer(1), .integer(2)]))
        #expect(reader.position == 4)
        let null = try reader.value()
        #expect(null == .null)
        let incomplete = try? reader.value()
        #expect(incomplete == nil)
    }

    @Test func integersHaveTheirRange() {
        #expect(CBORValue.unsigned(UInt64(Int.max)).integer == .max)
        #expect(CBORValue.unsigned(UInt64(Int.max) + 1).integer == nil)
        #expect(CBORValue.negative(UInt64(Int.max)).integer == .min)
        #expect(CBORValue.negative(UInt64(Int.max) + 1).integer == nil)
        #expect(CBORValue.integer(.min) == .negative(UInt64(Int.max)))
    }

    /// Random changes of values: what is accepted has this one encoding.
    @Test func acceptedBytesAreTheEncoding() throws {
        var generator = SeededGenerator(seed: 8949)
        let seeds = try VectorFile<Vector>.load("cbor2-values").cases.map(\.encoding.bytes).filter {
            !$0.isEmpty
        }
        for _ in 0..<(TestForm.isDeep ? 1_000_000 : 20_000) {
            var bytes = Array(seeds[Int.random(in: seeds.indices, using: &generator)].prefix(60))
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            guard let value = try? CBORReader.value(of: bytes) else { continue }
            #expect(value.encoded == bytes, "\(Hex.encode(bytes))")
        }
    }
}
