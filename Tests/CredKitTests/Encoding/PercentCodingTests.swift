// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

struct PercentCodingTests {
    static let lowercase = PercentCoding(leaving: " ", isLowercase: true)
    static let url = PercentCoding(leaving: "/?", keepsEscapes: true)
    static let unreserved = "aZ09-._~*+ /%é\0"

    struct Encoded: Sendable, CustomTestStringConvertible {
        let coding: PercentCoding
        let text: String
        let encoded: String

        init(_ coding: PercentCoding, _ text: String, _ encoded: String) {
            self.coding = coding
            self.text = text
            self.encoded = encoded
        }

        var testDescription: String { "'\(text)' as '\(encoded)'" }
    }

    static let encoded: [Encoded] = [
        Encoded(.component, unreserved, "aZ09-._~%2A%2B%20%2F%25%C3%A9%00"),
        Encoded(.form, unreserved, "aZ09-._%7E*%2B+%2F%25%C3%A9%00"),
        Encoded(.query, unreserved, "aZ09-._%7E*%2B%20%2F%25%C3%A9%00"),
        Encoded(PercentCoding(leaving: nil), "aZ 0", "%61%5A%20%30"),
        Encoded(lowercase, "a +\u{7F}%", "a %2b%7f%25"),
        // A percent sign that does not begin an escape is escaped.
        Encoded(url, "/%2f%2F?%%4%g0 %", "/%2f%2F?%25%254%25g0%20%25"),
        Encoded(.component, "", ""),
    ]

    @Test(arguments: PercentCodingTests.encoded)
    func eachFormatEscapesOtherBytes(row: Encoded) {
        #expect(row.coding.encode(row.text.utf8) == row.encoded)
        let count = row.coding.encodedByteCount(of: Array(row.text.utf8).span)
        #expect(count == row.encoded.utf8.count)
        var appended = Array("x=".utf8)
        row.coding.append(row.text.utf8, to: &appended)
        row.coding.append(Array(row.text.utf8).span, to: &appended)
        #expect(String(decoding: appended, as: UTF8.self) == "x=\(row.encoded)\(row.encoded)")
    }

    struct Escaped: Sendable, CustomTestStringConvertible {
        let coding: PercentCoding
        let text: String
        /// The offset of the missing digit; `nil` if no digit is missing.
        let offset: Int?
        let decoded: String

        init(_ coding: PercentCoding, _ text: String, _ offset: Int?, _ decoded: String) {
            self.coding = coding
            self.text = text
            self.offset = offset
            self.decoded = decoded
        }

        var testDescription: String { "'\(text)' as '\(decoded)'" }
    }

    static let escaped: [Escaped] = [
        Escaped(.component, "a%41%7e%7E+", nil, "aA~~+"),
        Escaped(.component, "%C3%a9%00%0a", nil, "é\0\n"),
        Escaped(.form, "a+b%2Bc", nil, "a b+c"),
        Escaped(.query, "a+b%2Bc", nil, "a b+c"),
        Escaped(.component, "", nil, ""),
        Escaped(.component, "x%", 2, "x%"),
        Escaped(.component, "%4", 2, "%4"),
        Escaped(.component, "%4g", 2, "%4g"),
        Escaped(.component, "%g4", 1, "%g4"),
        Escaped(.component, "%%41", 1, "%A"),
        Escaped(.component, "%4%41", 2, "%4A"),
        // Swift's integers have signs, escapes do not.
        Escaped(.component, "%+4", 1, "%+4"),
        Escaped(.component, "%-0", 1, "%-0"),
        Escaped(.form, "%+4", 1, "% 4"),
        Escaped(lowercase, "%c3%a9", nil, "é"),
        Escaped(lowercase, "%C3", 1, "%C3"),
        Escaped(lowercase, "%cA", 2, "%cA"),
    ]

    @Test(arguments: PercentCodingTests.escaped)
    func malformedEscapesAreKeptOrRefused(row: Escaped) {
        let bytes = Array(row.decoded.utf8)
        let expected = row.offset == nil ? bytes : nil
        #expect(row.coding.decodeLeniently(row.text.utf8) == bytes)
        var decoded: [UInt8]?
        var offset: Int?
        do throws(PercentCoding.DecodingError) {
            decoded = try row.coding.decode(Array(row.text.utf8).span)
        } catch {
            offset = error.offset
        }
        #expect(offset == row.offset)
        #expect(decoded == expected)
    }

    @Test func anyBytesAreReadBack() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        let codings = [PercentCoding.component, .form, .query, Self.lowercase, PercentCoding(leaving: nil)]
        for coding in codings {
            let text = Array(coding.encode(bytes).utf8)
            let decoded = try coding.decode(text.span)
            #expect(decoded == bytes)
            #expect(coding.decodeLeniently(text) == bytes)
        }
    }
}
