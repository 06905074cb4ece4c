// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

struct HexTests {
    struct Malformed: Sendable {
        let text: String
        let error: Hex.DecodingError
        let offset: Int
    }

    static let malformed: [Malformed] = [
        Malformed(text: "0", error: .oddLength, offset: 1),
        Malformed(text: "abc", error: .oddLength, offset: 3),
        Malformed(text: "0g", error: .invalidCharacter, offset: 1),
        Malformed(text: "00 11", error: .invalidCharacter, offset: 2),
        Malformed(text: "é0", error: .invalidCharacter, offset: 0),
        Malformed(text: "0x11", error: .invalidCharacter, offset: 1),
    ]

    @Test func encodesEveryByteAsTheStandardLibraryDoes() throws {
        for byte in UInt8.min...UInt8.max {
            let text = String(String(256 + Int(byte), radix: 16).dropFirst())
            let (lower, upper) = (try Hex.decode(text), try Hex.decode(text.uppercased()))
            #expect(Hex.encode([byte]) == text)
            #expect(lower == [byte])
            #expect(upper == [byte])
        }
    }

    @Test func acceptsExactlyTheDigits() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min...UInt8.max {
            for text in [[byte, 0x30], [0x30, byte]] {
                let decoded = try? Hex.decode(text)
                #expect((decoded != nil) == digits.contains(byte), "\(byte)")
            }
        }
    }

    @Test(arguments: HexTests.malformed)
    func errorsIncludeTheOffset(row: Malformed) {
        let error = #expect(throws: Hex.DecodingError.self) { try Hex.decode(row.text) }
        #expect(error == row.error)
        #expect(error?.offset == row.offset)
    }

    @Test func roundTrip() throws {
        for count in 0...100 {
            let bytes = SecureRandom.bytes(count: count)
            let decoded = try Hex.decode(Hex.encode(bytes))
            #expect(decoded == bytes)
        }
    }
}
