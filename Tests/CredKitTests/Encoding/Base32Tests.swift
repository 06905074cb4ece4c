// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import CredKitTestSupport
import Foundation
import XCTest

final class Base32Tests: XCTestCase {
    private struct Case: Decodable {
        let bytes: HexBytes
        let text: String
    }

    func testRFC4648Vectors() throws {
        let cases = try VectorFile<Case>.load("rfc4648-base32").cases
        XCTAssertEqual(cases.count, 7)
        for vector in cases {
            let unpadded = vector.text.filter { $0 != "=" }
            let bytes = vector.bytes.bytes
            XCTAssertEqual(Base32.standard.encode(bytes), vector.text)
            XCTAssertEqual(Base32.standard.unpadded.encode(bytes), unpadded)
            XCTAssertEqual(try Base32.standard.decode(vector.text), bytes)
            XCTAssertEqual(try Base32.standard.unpadded.decode(unpadded), bytes)
            for text in [vector.text, unpadded, vector.text.lowercased(), " \(unpadded) "] {
                XCTAssertEqual(try Base32.standard.decode(text, strictness: .lenient), bytes)
            }
        }
    }

    func testEveryLengthRoundTrips() throws {
        for count in 0...130 {
            let bytes = SecureRandom.bytes(count: count)
            for form in [Base32.standard, .standard.unpadded] {
                let text = form.encode(bytes)
                XCTAssertEqual(text.utf8.count, form.encodedByteCount(of: count))
                XCTAssertEqual(try form.decode(text), bytes)
                XCTAssertEqual(try form.decode(text.lowercased(), strictness: .lenient), bytes)
            }
        }
    }

    func testAcceptsExactlyTheAlphabet() {
        let strict = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        let lenient = strict.union("abcdefghijklmnopqrstuvwxyz".utf8)
        for byte in UInt8.min...UInt8.max {
            for position in 0..<8 {
                var text = Array("AAAAAAAA".utf8)
                text[position] = byte
                // With padding in place of the last of eight characters, or without one of them, seven are left.
                let isPadding = byte == 0x3D && position == 7
                let isStrict = (try? Base32.standard.decode(text)) != nil
                XCTAssertEqual(isStrict, strict.contains(byte) || isPadding, "\(byte) at \(position)")
                let isLenient = (try? Base32.standard.decode(text, strictness: .lenient)) != nil
                let isExpected = lenient.contains(byte) || isPadding || byte == 0x20
                XCTAssertEqual(isLenient, isExpected, "\(byte) at \(position)")
            }
        }
    }

    func testErrorsIncludeTheOffset() {
        typealias Case = (
            text: String, form: Base32, strictness: Base32.Strictness, Base32.DecodingError, Int
        )
        let padded = Base32.standard
        let strict: [Case] = [
            ("MZXW6", padded, .strict, .missingPadding, 5), ("MZXW6==", padded, .strict, .missingPadding, 7),
            ("MZXW6====", padded, .strict, .invalidPadding, 5),
            ("MZXW6===", padded.unpadded, .strict, .invalidPadding, 5),
            ("MZXW6YTB========", padded, .strict, .invalidPadding, 8),
            ("========", padded, .strict, .invalidPadding, 0),
            ("M", padded, .strict, .incompleteGroup, 1), ("MZX", padded, .strict, .incompleteGroup, 3),
            ("MZXW6Y", padded.unpadded, .strict, .incompleteGroup, 6),
            ("mY======", padded, .strict, .invalidCharacter, 0),
            ("MY =====", padded, .strict, .invalidCharacter, 2),
            ("MY======MY======", padded, .strict, .invalidCharacter, 8),
            ("M1======", padded, .strict, .invalidCharacter, 1),
            ("MZ======", padded, .strict, .nonZeroTrailingBits, 1),
        ]
        let lenient: [Case] = [
            ("MZXW6==", padded, .lenient, .invalidPadding, 5),
            ("m z", padded, .lenient, .nonZeroTrailingBits, 2),
            ("my=a", padded, .lenient, .invalidCharacter, 3),
            ("my\t", padded, .lenient, .invalidCharacter, 2),
            ("m\u{E9}", padded, .lenient, .invalidCharacter, 1),
            ("my-a", padded, .lenient, .invalidCharacter, 2),
        ]
        for (text, form, strictness, expected, offset) in strict + lenient {
            XCTAssertThrowsError(try form.decode(text, strictness: strictness), text) {
                XCTAssertEqual($0 as? Base32.DecodingError, expected, text)
                XCTAssertEqual(($0 as? Base32.DecodingError)?.offset, offset, text)
            }
        }
    }

    func testTextsOfOneValueDifferOnlyInTrailingBits() throws {
        var generator = SeededGenerator(seed: 32)
        for _ in 0..<20_000 {
            let text = generator.text(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", count: 0...17)
            guard let bytes = try? Base32.standard.unpadded.decode(text) else { continue }
            XCTAssertEqual(Base32.standard.unpadded.encode(bytes), text)
        }
    }
}
