// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

final class SortedParameterSignatureTests: XCTestCase {
    private typealias Signature = Legacy.SortedParameterSignature
    private typealias Parameters = [(key: String, value: String)]

    private func signer(_ format: Signature.Format = .weChatPay, secret: String = "key") throws -> Signature {
        try Signature(secret: secret, format: format)
    }

    func testOrderOfTheParametersDoesNotMatter() throws {
        let signer = try signer()
        var random = SeededGenerator(seed: 17)
        for _ in 0..<50 {
            let names = Set((0..<8).map { _ in random.text(of: "abcXYZ_019中é", count: 1...6) })
            let parameters: Parameters = names.map { ($0, random.text(of: "abc=& 中", count: 0...20)) }
            let signature = try signer.signature(of: parameters)
            XCTAssertEqual(try signer.signature(of: parameters.shuffled(using: &random)), signature)
        }
    }

    func testOneChangedByteIsInvalid() throws {
        for format in [Signature.Format.weChatPay, .alipay, .taobaoHMACSHA256, .lazada(path: "/a")] {
            let signer = try signer(format)
            let signed = try signer.signing(["amount": "100", "payee": "alice"])
            XCTAssertNotNil(signer.verified(signed))
            XCTAssertNil(try self.signer(format, secret: "Key").verified(signed))
            for index in signed.indices {
                for offset in signed[index].value.utf8.indices.map({ $0 }) {
                    var bytes = Array(signed[index].value.utf8)
                    bytes[
                        signed[index].value.utf8.distance(from: signed[index].value.startIndex, to: offset)
                    ] ^= 1
                    var changed = signed
                    changed[index].value = String(decoding: bytes, as: UTF8.self)
                    XCTAssertNil(signer.verified(changed), "\(changed)")
                }
            }
            XCTAssertNil(signer.verified(signed.dropFirst()))
            XCTAssertNil(signer.verified(signed.dropLast()), "the signature is missing")
            XCTAssertNil(signer.verified(signed + [(key: "extra", value: "1")]))
        }
    }

    func testSigningTwiceReplacesTheSignature() throws {
        let signer = try signer()
        let once = try signer.signing(["b": "2", "a": "1"] as KeyValuePairs)
        XCTAssertEqual(once.map(\.key), ["b", "a", "sign"])
        let twice = try signer.signing(once)
        XCTAssertEqual(twice.map(\.key), once.map(\.key))
        XCTAssertEqual(twice.map(\.value), once.map(\.value))
        // A signature that is no longer valid, in front, is replaced too.
        let changed = try signer.signing([(key: "sign", value: "old"), (key: "a", value: "3")])
        XCTAssertEqual(changed.map(\.key), ["a", "sign"])
        XCTAssertNotNil(signer.verified(changed))
    }

    func testNamesAreSortedByTheirBytes() throws {
        let signer = try signer(.init(.delimited, .md5(secret: .suffix())))
        // In Swift "f" < "e\u{301}", because it compares normalized text; UTF-16 has U+1F600 before U+FF46.
        XCTAssertLessThan("f", "e\u{301}")
        let parameters: Parameters = [("\u{1F600}", "4"), ("ｆ", "3"), ("f", "2"), ("e\u{301}", "1")]
        XCTAssertEqual(
            try signer.signatureBase(of: parameters),
            "e\u{301}=1&f=2&ｆ=3&\u{1F600}=4‹secret›"
        )
    }

    func testCanonicallyEquivalentNamesAreDifferent() throws {
        let signer = try signer()
        let parameters: Parameters = [("é", "1"), ("e\u{301}", "2")]
        XCTAssertNoThrow(try signer.signature(of: parameters))
        var named = try self.signer()
        named.format.signatureName = "é"
        XCTAssertEqual(
            try named.signing(parameters).map { Array($0.key.utf8) },
            ["e\u{301}", "é"].map { Array($0.utf8) }
        )
    }

    /// The weakness that the documentation warns of.
    func testDifferentParametersCanHaveTheSameSignature() throws {
        let delimited = try signer(.weChatPayHMACSHA256)
        XCTAssertEqual(
            try delimited.signature(of: ["fee": "1", "note": "x"]),
            try delimited.signature(of: ["fee": "1&note=x"])
        )
        let concatenated = try signer(.taobaoHMACSHA256)
        XCTAssertEqual(
            try concatenated.signature(of: ["amount": "1", "amount2": "0"]),
            try concatenated.signature(of: ["amount": "1amount20"])
        )
    }

    func testEachDetailOfAFormatMatters() throws {
        let parameters = ["a": "1", "b": "", "c": "3"]
        var format = Signature.Format(.delimited, .md5(secret: .suffix(separator: "#")))
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "a=1&c=3#‹secret›")
        format.omitsEmptyValues = false
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "a=1&b=&c=3#‹secret›")
        format.excludedNames = ["a", "x"]
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "b=&c=3#‹secret›")
        format.prefix = "/p?"
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "/p?b=&c=3#‹secret›")
        format.signatureName = "c"
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "/p?b=#‹secret›")
        format.joining = .concatenated
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "/p?b#‹secret›")
        format.algorithm = .hmacMD5(secretInText: .prefixAndSuffix)
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "‹secret›/p?b‹secret›")
        format.algorithm = .hmacSHA256(secretInText: .prefix(separator: ":"))
        XCTAssertEqual(try signer(format).signatureBase(of: parameters), "‹secret›:/p?b")
        format.algorithm = .hmacMD5(secretInText: .prefixAndSuffix)
        // python3: hmac.new(b"key", b"key/p?bkey", "md5").hexdigest()
        XCTAssertEqual(try signer(format).signature(of: parameters), "bbfacdba1af52c56281a65ef57a4985e")
        XCTAssertEqual(try signer(.weChatPay).signatureBase(of: [:]), "&key=‹secret›")
    }

    func testSecretIsRequiredAndNotPrinted() throws {
        XCTAssertThrowsError(try signer(secret: "")) { XCTAssertEqual($0 as? SignatureError, .invalidSecret) }
        let signer = try signer(secret: "hunter2")
        XCTAssertEqual("\(signer)", "‹redacted›")
        XCTAssertEqual(String(reflecting: signer), "‹redacted›")
        XCTAssertTrue(Mirror(reflecting: signer).children.isEmpty)
        XCTAssertEqual(try signer.signatureBase(of: ["a": "1"]), "a=1&key=‹secret›")
    }
}
