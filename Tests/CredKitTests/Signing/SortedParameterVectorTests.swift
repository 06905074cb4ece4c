// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class SortedParameterVectorTests: XCTestCase {
    private typealias Format = Legacy.SortedParameterSignature.Format

    private struct Case: Decodable {
        let format: String
        let secret: String
        let parameters: [String: String]
        let base: String
        let signature: String
        let published: Bool

        /// The parameters with the signature, which is the last one.
        func received(_ format: Format) -> [(key: String, value: String)] {
            parameters.map { $0 } + [(key: format.signatureName, value: signature)]
        }
    }

    private let formats: [String: Format] = [
        "weChatPay": .weChatPay, "weChatPayHMACSHA256": .weChatPayHMACSHA256, "alipay": .alipay,
        "taobao": .taobao, "taobaoHMACMD5": .taobaoHMACMD5, "taobaoHMACSHA256": .taobaoHMACSHA256,
        "pinduoduo": .pinduoduo, "jd": .jd, "/order/get": .lazada(path: "/order/get"),
        "flickr": .flickr,
    ]

    func testExamplesOfEachFormat() throws {
        var (seen, published): (Set<String>, Set<String>) = ([], [])
        for vector in try VectorFile<Case>.load("sorted-parameter-signatures").cases {
            let format = try XCTUnwrap(formats[vector.format], vector.format)
            let signer = try Legacy.SortedParameterSignature(secret: vector.secret, format: format)
            XCTAssertEqual(try signer.signatureBase(of: vector.parameters), vector.base, vector.format)
            XCTAssertEqual(try signer.signature(of: vector.parameters), vector.signature, vector.format)

            var received = vector.received(format)
            let signed = vector.parameters.filter { !$0.value.isEmpty && $0.key != "sign_type" }
            XCTAssertEqual(signer.verified(received)?.count, signed.count, vector.format)
            // The other case is another text.
            received[received.count - 1].value =
                format.isUppercase ? vector.signature.lowercased() : vector.signature.uppercased()
            XCTAssertNil(signer.verified(received), vector.format)
            seen.insert(vector.format)
            if vector.published { published.insert(vector.format) }
        }
        XCTAssertEqual(seen, Set(formats.keys))
        XCTAssertEqual(seen.subtracting(published), ["taobaoHMACMD5", "taobaoHMACSHA256"])
    }

    func testOtherFormatsRejectTheExamples() throws {
        for vector in try VectorFile<Case>.load("sorted-parameter-signatures").cases {
            for (name, format) in formats where name != vector.format {
                let signer = try Legacy.SortedParameterSignature(secret: vector.secret, format: format)
                let isSameFormat =
                    ["taobao", "pinduoduo", "jd"].contains(name)
                    && ["taobao", "pinduoduo", "jd"].contains(vector.format)
                let hasEmptyValue = vector.parameters.values.contains("")
                if isSameFormat && !hasEmptyValue { continue }
                XCTAssertNil(
                    signer.verified(vector.received(format)),
                    "\(name) accepts the example of \(vector.format)"
                )
            }
        }
    }
}

extension Legacy.SortedParameterSignature.Format {
    /// Flickr's API before OAuth, which shows how a format is made without a preset.
    fileprivate static var flickr: Self {
        var format = Self(.concatenated, .md5(secret: .prefix()))
        format.signatureName = "api_sig"
        return format
    }
}
