// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import Foundation
import XCTest

final class Base64Tests: XCTestCase {
    private struct Case: Decodable {
        let bytes: HexBytes
        let standard: String
        let urlSafe: String
    }

    func testEncodesAndDecodesTheVectorsOfRFC4648() throws {
        for vector in try VectorFile<Case>.load("rfc4648-base64").cases {
            for (base64, text) in [(Base64.standard, vector.standard), (.urlSafe, vector.urlSafe)] {
                let unpadded = text.trimmingCharacters(in: ["="])
                XCTAssertEqual(base64.encode(vector.bytes.bytes), text)
                XCTAssertEqual(base64.unpadded.encode(vector.bytes.bytes), unpadded)
                XCTAssertEqual(try base64.decode(text), vector.bytes.bytes)
                XCTAssertEqual(try base64.unpadded.decode(unpadded), vector.bytes.bytes)
            }
        }
    }

    func testEncodesAsFoundationDoesForEveryLength() throws {
        for count in 0...300 {
            let bytes = SecureRandom.bytes(count: count)
            let expected = Data(bytes).base64EncodedString()
            XCTAssertEqual(Base64.standard.encode(bytes), expected)
            XCTAssertEqual(try Base64.standard.decode(expected), bytes)
        }
    }

    func testWrapsLinesAsFoundationDoes() {
        let bytes = SecureRandom.bytes(count: 1000)
        for (length, option) in [
            (64, Data.Base64EncodingOptions.lineLength64Characters), (76, .lineLength76Characters),
        ] {
            for count in [0, 1, 47, 48, 49, 57, 58, 96, 114, 1000] {
                let data = Data(bytes.prefix(count))
                XCTAssertEqual(
                    Base64.standard.encode(data, lineLength: length, lineEnding: .carriageReturnLineFeed),
                    data.base64EncodedString(options: [
                        option, .endLineWithCarriageReturn, .endLineWithLineFeed,
                    ])
                )
                XCTAssertEqual(
                    Base64.standard.encode(data, lineLength: length),
                    data.base64EncodedString(options: [option, .endLineWithLineFeed])
                )
            }
        }
    }

    func testWrapsLinesOfAnyLength() throws {
        for length in 1...20 {
            for count in 0...60 {
                let bytes = SecureRandom.bytes(count: count)
                let text = Base64.standard.encode(bytes, lineLength: length)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                XCTAssertTrue(lines.dropLast().allSatisfy { $0.utf8.count == length })
                XCTAssertLessThanOrEqual(lines.last?.utf8.count ?? 0, length)
                XCTAssertEqual(lines.joined(), Base64.standard.encode(bytes))
                XCTAssertEqual(try Base64.standard.decode(text, ignoring: .whitespace), bytes)
            }
        }
    }

    func testEncoderIsIndependentOfPieceBoundaries() {
        for lineLength in [0, 1, 3, 4, 5, 76] {
            for _ in 0..<200 {
                let bytes = SecureRandom.bytes(count: Int.random(in: 0...200))
                var encoder = Base64.urlSafe.makeEncoder(lineLength: lineLength)
                var text: [UInt8] = []
                for piece in bytes.randomPieces() { encoder.update(piece, into: &text) }
                encoder.finalize(into: &text)
                XCTAssertEqual(
                    String(decoding: text, as: UTF8.self),
                    Base64.urlSafe.encode(bytes, lineLength: lineLength)
                )
            }
        }
    }

    func testDecoderIsIndependentOfPieceBoundaries() throws {
        for base64 in [Base64.standard, .urlSafe, .standard.unpadded, .urlSafe.unpadded] {
            for _ in 0..<200 {
                let bytes = SecureRandom.bytes(count: Int.random(in: 0...200))
                let text = base64.encode(
                    bytes,
                    lineLength: Int.random(in: 0...80),
                    lineEnding: .carriageReturnLineFeed
                )
                var decoder = base64.makeDecoder(ignoring: .whitespace)
                var decoded: [UInt8] = []
                for piece in Array(text.utf8).randomPieces() { try decoder.update(piece, into: &decoded) }
                try decoder.finalize(into: &decoded)
                XCTAssertEqual(decoded, bytes)
            }
        }
    }

    func testEncoderAndDecoderResetWhenFinalized() throws {
        var encoder = Base64.standard.makeEncoder()
        var decoder = Base64.standard.makeDecoder()
        for _ in 0..<2 {
            var text: [UInt8] = []
            encoder.update("a".utf8, into: &text)
            encoder.finalize(into: &text)
            var bytes: [UInt8] = []
            try decoder.update(text, into: &bytes)
            try decoder.finalize(into: &bytes)
            XCTAssertEqual(bytes, Array("a".utf8))
        }
    }

    func testFillsTheCallersBufferExactly() throws {
        for count in 0...100 {
            let bytes = SecureRandom.bytes(count: count)
            let size = Base64.standard.encodedByteCount(of: count)
            let text = [UInt8](capacity: size) { Base64.standard.encode(bytes.span, into: &$0) }
            XCTAssertEqual(text.count, size)
            XCTAssertEqual(String(decoding: text, as: UTF8.self), Base64.standard.encode(bytes))
            let decoded = try [UInt8](capacity: Base64.standard.maximumDecodedByteCount(of: size)) { output in
                try Base64.standard.decode(text.span, into: &output)
            }
            XCTAssertEqual(decoded, bytes)
        }
    }

    func testSkipsWhitespaceAnywhere() throws {
        XCTAssertEqual(try Base64.standard.decode(" Q\tU\r\nI = \n", ignoring: .whitespace), Array("AB".utf8))
        XCTAssertEqual(try Base64.standard.decode("\n\n", ignoring: .whitespace), [])
        XCTAssertEqual(try Base64.standard.unpadded.decode("Q Q", ignoring: .whitespace), Array("A".utf8))
    }

    func testAcceptsNoncontiguousCollections() throws {
        let bytes = [1, 2, 3, 4].lazy.map { UInt8($0) }
        XCTAssertEqual(Base64.standard.encode(bytes), "AQIDBA==")
        XCTAssertEqual(try Base64.standard.decode("AQIDBA==".utf8.lazy.map { $0 }), [1, 2, 3, 4])
        XCTAssertEqual(try Base64.standard.decode("xAQIDBA==x".dropFirst().dropLast()), [1, 2, 3, 4])
    }
}
