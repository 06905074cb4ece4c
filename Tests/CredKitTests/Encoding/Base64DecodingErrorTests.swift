// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class Base64DecodingErrorTests: XCTestCase {
    private struct Case: Decodable {
        let text: HexBytes
        let code: String
        let offset: Int
        let alphabet: String
        let padded: Bool
        let skipping: String

        var base64: Base64 {
            let padded: Base64 = alphabet == "urlSafe" ? .urlSafe : .standard
            return self.padded ? padded : padded.unpadded
        }

        var expected: Base64.DecodingError? {
            [
                "invalidCharacter": .invalidCharacter, "invalidPadding": .invalidPadding,
                "missingPadding": .missingPadding, "incompleteGroup": .incompleteGroup,
                "nonZeroTrailingBits": .nonZeroTrailingBits,
            ][code]
        }
    }

    func testRejectsMalformedTextsWithTheRightReasonAndOffset() throws {
        let cases = try VectorFile<Case>.load("base64-malformed").cases
        XCTAssertGreaterThanOrEqual(cases.count, 100)
        for (index, vector) in cases.enumerated() {
            let expected = try XCTUnwrap(vector.expected, vector.code)
            let ignoring: Base64.IgnoredCharacters = vector.skipping == "whitespace" ? .whitespace : .none
            XCTAssertThrowsError(
                try vector.base64.decode(vector.text.bytes, ignoring: ignoring),
                "case \(index)"
            ) {
                let error = $0 as? Base64.DecodingError
                XCTAssertEqual(error, expected, "case \(index)")
                XCTAssertEqual(error?.offset, vector.offset, "case \(index)")
            }
            // The error is the same for every split of the text into pieces.
            for _ in 0..<5 {
                var decoder = vector.base64.makeDecoder(ignoring: ignoring)
                var output: [UInt8] = []
                do throws(Base64.DecodingError) {
                    for piece in vector.text.bytes.randomPieces() { try decoder.update(piece, into: &output) }
                    try decoder.finalize(into: &output)
                    XCTFail("case \(index) was accepted in pieces")
                } catch {
                    XCTAssertEqual(error, expected, "case \(index) in pieces")
                    XCTAssertEqual(error.offset, vector.offset, "case \(index) in pieces")
                }
            }
        }
    }

    func testAcceptsExactlyTheAlphabetAtEachPositionOfABlock() {
        for (base64, last) in [(Base64.standard, "+/"), (.urlSafe, "-_")] {
            let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
            for position in 0..<24 {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "Q"), count: 28)
                    text[position] = byte
                    let decoded = try? base64.decode(text)
                    XCTAssertEqual(decoded != nil, alphabet.contains(byte), "byte \(byte) at \(position)")
                    guard let decoded, let value = letters.firstIndex(of: byte) else { continue }
                    // The six bits are at their positions.
                    let bits = decoded.map { String(UInt16(256) + UInt16($0), radix: 2).dropFirst() }.joined()
                    let start = bits.index(bits.startIndex, offsetBy: position * 6)
                    XCTAssertEqual(Int(bits[start...].prefix(6), radix: 2), value)
                }
            }
        }
    }

    func testEachValueHasOneCanonicalText() throws {
        // All 4,096 texts of two characters before two padding characters encode 256 values, so 256 of them are
        // canonical.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var accepted = 0
        for first in alphabet {
            for second in alphabet {
                let text = "\(first)\(second)=="
                guard let bytes = try? Base64.standard.decode(text) else { continue }
                accepted += 1
                XCTAssertEqual(Base64.standard.encode(bytes), text)
            }
        }
        XCTAssertEqual(accepted, 256)
    }

    func testRandomTextsEitherFailOrRoundTrip() {
        let characters = Array("ABab01+/-_==\n ".utf8)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14)).map { _ in
                characters[Int.random(in: 0..<characters.count)]
            }
            for base64 in [Base64.standard, .urlSafe, .standard.unpadded, .urlSafe.unpadded] {
                guard let bytes = try? base64.decode(text) else { continue }
                XCTAssertEqual(Array(base64.encode(bytes).utf8), text)
            }
        }
    }

    func testErrorsAreTypedAndDoNotShowTheText() {
        do throws(Base64.DecodingError) {
            _ = try Base64.standard.decode("secre!==")
            XCTFail("accepted")
        } catch .invalidCharacter {
            // The expected error.
        } catch {
            XCTFail("\(error)")
        }
        XCTAssertThrowsError(try Base64.standard.decode("secre!==")) { error in
            XCTAssertEqual("\(error)", "not a Base64 character at offset 5")
        }
    }

    func testOutputBeforeAnErrorIsKept() {
        var decoder = Base64.standard.makeDecoder()
        var output: [UInt8] = []
        XCTAssertThrowsError(try decoder.update("QUJDQUJD!".utf8, into: &output))
        XCTAssertEqual(output, Array("ABCABC".utf8))
    }
}
