// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitKeychain

final class GVariantTests: XCTestCase {
    private func elements(_ bytes: [UInt8], limit: Int = 10) throws -> [Range<Int>] {
        try GVariant.elements(of: 0..<bytes.count, limit: limit, in: bytes.span)
    }

    func testOffsetsGrowWithTheContainer() throws {
        XCTAssertEqual(try elements([]), [])
        // Two elements of 1 and 250 bytes: 253 bytes in total, with offsets of one byte.
        XCTAssertEqual(try elements([UInt8](repeating: 7, count: 251) + [1, 251]), [0..<1, 1..<251])
        // One byte more for each: containers of 256 bytes or more have offsets of two bytes.
        let two = [UInt8](repeating: 7, count: 253) + [3, 0, 253, 0]
        XCTAssertEqual(try elements(two), [0..<3, 3..<253])
        let four = [UInt8](repeating: 7, count: 70_000) + [0x70, 0x11, 1, 0]
        XCTAssertEqual(try elements(four), [0..<70_000])
    }

    func testInconsistentArraysAreRefused() {
        for bytes in [[1], [5, 9], [0, 9, 2, 1], [0, 0, 3, 2, 2], [0, 0, 0, 2, 1, 3]] as [[UInt8]] {
            XCTAssertThrowsError(try elements(bytes), "\(bytes)") {
                XCTAssertEqual($0 as? KeychainError, .damaged)
            }
        }
        XCTAssertThrowsError(try elements([0, 0, 0, 0], limit: 3)) {
            XCTAssertEqual($0 as? KeychainError, .overLimit)
        }
    }

    func testStringsEndInTheirOnlyNUL() throws {
        let text: [UInt8] = [0x61, 0xC3, 0xBC, 0]
        XCTAssertEqual(try GVariant.string(0..<4, in: text.span), "aü")
        XCTAssertEqual(try GVariant.string(3..<4, in: text.span), "")
        for range in [0..<3, 0..<0, 2..<4] {
            XCTAssertThrowsError(try GVariant.string(range, in: text.span))
        }
        XCTAssertThrowsError(try GVariant.string(0..<3, in: ([0x61, 0, 0] as [UInt8]).span))
    }

    /// Key, vector and encrypted item of the test `serialization` in oo7's `client/src/file/unlocked_item.rs`.
    func testItemEncryptedByOO7IsRead() throws {
        let key = try SecretBytes([204, 53, 139, 40, 55, 167, 183, 240, 191, 252, 186, 174, 28, 36, 229, 26])
        let vector: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0]
        let encrypted: [UInt8] = [
            196, 246, 127, 53, 194, 30, 176, 37, 128, 145, 195, 96, 211, 161, 60, 150, 160, 126, 85, 125,
            85, 238, 5, 93, 153, 128, 176, 205, 31, 87, 48, 82, 121, 230, 143, 152, 153, 193, 182, 114, 59,
            157, 85, 41, 50, 1, 142, 112,
        ]
        let plaintext = try AESCBC.open(encrypted.span, key: key, vector: vector)
        let item = try plaintext.withSecretBytes { try LibsecretKeyringFile.OpenItem($0) }
        XCTAssertEqual(item.attributes, ["fooness": "5"])
        XCTAssertEqual(item.credential.item.label, "foo")
        XCTAssertEqual(item.credential.item.created?.timeIntervalSince1970, 50)
        XCTAssertEqual(item.credential.item.modified?.timeIntervalSince1970, 50)
        XCTAssertEqual(item.credential.secret, try SecretBytes("bar"))

        XCTAssertThrowsError(try AESCBC.open(encrypted.span.extracting(..<47), key: key, vector: vector))
        XCTAssertThrowsError(try AESCBC.open(encrypted.span.extracting(..<0), key: key, vector: vector))
        // Without the last block the padding is wrong.
        XCTAssertThrowsError(try AESCBC.open(encrypted.span.extracting(..<32), key: key, vector: vector))
    }
}
