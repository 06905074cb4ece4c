// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class HexTests: XCTestCase {
    func testEncodesEveryByteAsTheStandardLibraryDoes() throws {
        for byte in UInt8.min...UInt8.max {
            let text = String(String(256 + Int(byte), radix: 16).dropFirst())
            XCTAssertEqual(Hex.encode([byte]), text)
            XCTAssertEqual(try Hex.decode(text), [byte])
            XCTAssertEqual(try Hex.decode(text.uppercased()), [byte])
        }
    }

    func testAcceptsExactlyTheDigits() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min...UInt8.max {
            for text in [[byte, 0x30], [0x30, byte]] {
                XCTAssertEqual((try? Hex.decode(text)) != nil, digits.contains(byte), "\(byte)")
            }
        }
    }

    func testErrorsIncludeTheOffset() {
        for (text, expected, offset) in [
            ("0", Hex.DecodingError.oddLength, 1), ("abc", .oddLength, 3), ("0g", .invalidCharacter, 1),
            ("00 11", .invalidCharacter, 2), ("é0", .invalidCharacter, 0), ("0x11", .invalidCharacter, 1),
        ] {
            XCTAssertThrowsError(try Hex.decode(text)) {
                XCTAssertEqual($0 as? Hex.DecodingError, expected)
                XCTAssertEqual(($0 as? Hex.DecodingError)?.offset, offset)
            }
        }
    }

    func testRoundTrip() throws {
        for count in 0...100 {
            let bytes = SecureRandom.bytes(count: count)
            XCTAssertEqual(try Hex.decode(Hex.encode(bytes)), bytes)
        }
    }
}
