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
    }

    private let presets: [String: Format] = [
        "weChatPay": .weChatPay, "weChatPayHMACSHA256": .weChatPayHMACSHA256, "alipay": .alipay,
        "taobao": .taobao, "taobaoHMACMD5": .taobaoHMACMD5, "taobaoHMACSHA256": .taobaoHMACSHA256,
        "pinduoduo": .pinduoduo, "jd": .jd, "/order/get": .taobaoTaiwan(path: "/order/get"),
    ]

    func testPublishedExamplesOfEachPreset() throws {
        var seen: Set<String> = []
        for vector in try VectorFile<Case>.load("sorted-parameter-signatures").cases {
            let format = try XCTUnwrap(presets[vector.format], vector.format)
            let signer = try Legacy.SortedParameterSignature(secret: vector.secret, format: format)
            XCTAssertEqual(try signer.signatureBase(of: vector.parameters), vector.base, vector.format)
            XCTAssertEqual(try signer.signature(of: vector.parameters), vector.signature, vector.format)

            var received = vector.parameters
            received["sign"] = vector.signature
            XCTAssertTrue(signer.isValid(received), vector.format)
            // The other case is another text.
            received["sign"] =
                format.isUppercase ? vector.signature.lowercased() : vector.signature.uppercased()
            XCTAssertFalse(signer.isValid(received), vector.format)
            seen.insert(vector.format)
        }
        XCTAssertEqual(seen, Set(presets.keys))
    }

    func testOtherPresetsRejectTheExamples() throws {
        for vector in try VectorFile<Case>.load("sorted-parameter-signatures").cases {
            for (name, format) in presets where name != vector.format {
                let signer = try Legacy.SortedParameterSignature(secret: vector.secret, format: format)
                let isSameFormat =
                    ["taobao", "pinduoduo", "jd"].contains(name)
                    && ["taobao", "pinduoduo", "jd"].contains(vector.format)
                let hasEmptyValue = vector.parameters.values.contains("")
                if isSameFormat && !hasEmptyValue { continue }
                var received = vector.parameters
                received["sign"] = vector.signature
                XCTAssertFalse(signer.isValid(received), "\(name) accepts the example of \(vector.format)")
            }
        }
    }
}
