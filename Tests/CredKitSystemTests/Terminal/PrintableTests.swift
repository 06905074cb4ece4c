// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import XCTest

final class PrintableTests: XCTestCase {
    func testCharactersThatATerminalActsOnAreNotPrintable() {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F,
            // Bidirectional controls.
            0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C...0x061C,
            // Line separators, and invisible characters.
            0x2028...0x2029, 0x00AD...0x00AD, 0x034F...0x034F, 0x115F...0x1160, 0x200B...0x200D,
            0x2060...0x2064,
            0x2800...0x2800, 0x3164...0x3164, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0,
            0xE0001...0xE007F,
            0xE0100...0xE01EF,
            0xE000...0xE000, 0x10FF00...0x10FFFF,
        ]
        for value in ranges.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            XCTAssertFalse(scalar.isPrintable, String(value, radix: 16))
        }
        for scalar in " ~aé王🗝\u{A0}\u{301}".unicodeScalars {
            XCTAssertTrue(scalar.isPrintable, "\(scalar.value)")
        }
    }

    /// The standard library decodes the same bytes.
    func testDecodingAgreesWithTheStandardLibrary() {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array("x\(scalar)x".utf8)
            let character = UTF8Character(at: 1, in: bytes.span)
            XCTAssertEqual(character.scalar, scalar)
            XCTAssertEqual(character.byteCount, bytes.count - 2)
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                // Mostly bytes of longer sequences.
                UInt8.random(in: Bool.random(using: &generator) ? 0x80...0xFF : 0...0xFF, using: &generator)
            }
            var (position, text) = (0, String.UnicodeScalarView())
            var isValid = true
            while position < bytes.count {
                let character = UTF8Character(at: position, in: bytes.span)
                if let scalar = character.scalar { text.append(scalar) } else { isValid = false }
                position += character.byteCount
            }
            XCTAssertEqual(position, bytes.count)
            let expected = String(validating: bytes, as: UTF8.self)
            XCTAssertEqual(isValid ? String(text) : nil, expected, "\(bytes)")
        }
    }
}
