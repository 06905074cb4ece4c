// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class PercentCodingTests: XCTestCase {
    private let lowercase = PercentCoding(leaving: " ", isLowercase: true)
    private let url = PercentCoding(leaving: "/?", keepsEscapes: true)

    func testEachFormatEscapesOtherBytes() {
        let text = "aZ09-._~*+ /%é\0"
        let cases: [(coding: PercentCoding, text: String, encoded: String)] = [
            (.component, text, "aZ09-._~%2A%2B%20%2F%25%C3%A9%00"),
            (.form, text, "aZ09-._%7E*%2B+%2F%25%C3%A9%00"),
            (.query, text, "aZ09-._%7E*%2B%20%2F%25%C3%A9%00"),
            (PercentCoding(leaving: nil), "aZ 0", "%61%5A%20%30"),
            (lowercase, "a +\u{7F}%", "a %2b%7f%25"),
            // A percent sign that does not begin an escape is escaped.
            (url, "/%2f%2F?%%4%g0 %", "/%2f%2F?%25%254%25g0%20%25"),
            (.component, "", ""),
        ]
        for (coding, text, encoded) in cases {
            XCTAssertEqual(coding.encode(text.utf8), encoded)
            XCTAssertEqual(coding.encodedByteCount(of: Array(text.utf8).span), encoded.utf8.count)
            var appended = Array("x=".utf8)
            coding.append(text.utf8, to: &appended)
            coding.append(Array(text.utf8).span, to: &appended)
            XCTAssertEqual(String(decoding: appended, as: UTF8.self), "x=\(encoded)\(encoded)")
        }
    }

    func testMalformedEscapesAreKeptOrRefused() {
        // The offset is that of the missing digit; nil if no digit is missing.
        let cases: [(coding: PercentCoding, text: String, offset: Int?, decoded: String)] = [
            (.component, "a%41%7e%7E+", nil, "aA~~+"),
            (.component, "%C3%a9%00%0a", nil, "é\0\n"),
            (.form, "a+b%2Bc", nil, "a b+c"),
            (.query, "a+b%2Bc", nil, "a b+c"),
            (.component, "", nil, ""),
            (.component, "x%", 2, "x%"),
            (.component, "%4", 2, "%4"),
            (.component, "%4g", 2, "%4g"),
            (.component, "%g4", 1, "%g4"),
            (.component, "%%41", 1, "%A"),
            (.component, "%4%41", 2, "%4A"),
            // Swift's integers have signs, escapes do not.
            (.component, "%+4", 1, "%+4"),
            (.component, "%-0", 1, "%-0"),
            (.form, "%+4", 1, "% 4"),
            (lowercase, "%c3%a9", nil, "é"),
            (lowercase, "%C3", 1, "%C3"),
            (lowercase, "%cA", 2, "%cA"),
        ]
        for (coding, text, offset, decoded) in cases {
            XCTAssertEqual(coding.decodeLeniently(text.utf8), Array(decoded.utf8), text)
            do throws(PercentCoding.DecodingError) {
                let bytes = try coding.decode(Array(text.utf8).span)
                XCTAssertNil(offset, text)
                XCTAssertEqual(bytes, Array(decoded.utf8), text)
            } catch {
                XCTAssertEqual(error.offset, offset, text)
            }
        }
    }

    func testAnyBytesAreReadBack() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        for coding in [PercentCoding.component, .form, .query, lowercase, PercentCoding(leaving: nil)] {
            let text = Array(coding.encode(bytes).utf8)
            XCTAssertEqual(try coding.decode(text.span), bytes)
            XCTAssertEqual(coding.decodeLeniently(text), bytes)
        }
    }
}
