// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// Which parameters are refused, and which are not returned.
final class SortedParameterLimitTests: XCTestCase {
    private typealias Signature = Legacy.SortedParameterSignature
    private typealias Parameters = [(key: String, value: String)]

    private func signer(_ format: Signature.Format = .weChatPay) throws -> Signature {
        try Signature(secret: "key", format: format)
    }

    func testRepeatedNamesAreRefused() throws {
        let repeated: [Parameters] = [
            [("a", "1"), ("b", "2"), ("a", "1")], [("a", "1"), ("a", "")],
            [("sign_type", "MD5"), ("sign_type", "RSA")],
        ]
        let signer = try signer(.alipay)
        for parameters in repeated {
            XCTAssertThrowsError(try signer.signing(parameters)) {
                XCTAssertEqual($0 as? SignatureError, .repeatedName)
            }
            let signature = try signer.signature(of: parameters.dropLast())
            XCTAssertNil(signer.verified(parameters + [(key: "sign", value: signature)]))
        }
        let signed = try signer.signing(["a": "1"])
        XCTAssertNil(signer.verified(signed + [(key: "sign", value: "other")]))
        XCTAssertNil(signer.verified(signed + signed.suffix(1)))
    }

    func testNumberOfParametersIsLimited() throws {
        let signer = try signer()
        let parameters: Parameters = (1..<Signature.maximumParameterCount).map { ("p\($0)", "1") }
        let signed = try signer.signing(parameters)
        XCTAssertEqual(signed.count, Signature.maximumParameterCount)
        XCTAssertEqual(signer.verified(signed)?.count, parameters.count)
        XCTAssertNil(signer.verified(signed + [(key: "q", value: "")]))
        for extra in ["q", "sign"] {
            XCTAssertThrowsError(try signer.signature(of: signed + [(key: extra, value: "")])) {
                XCTAssertEqual($0 as? SignatureError, .tooManyParameters)
            }
        }
        // There would be no room for the signature.
        XCTAssertThrowsError(try signer.signing(parameters + [(key: "q", value: "")])) {
            XCTAssertEqual($0 as? SignatureError, .tooManyParameters)
        }
    }

    /// An endless sequence would not end otherwise.
    func testParametersAreReadUpToTheLimit() throws {
        let signer = try signer()
        for name in ["a", "sign"] {
            var count = 0
            let endless = AnyIterator<(key: String, value: String)> {
                count += 1
                return (name, "1")
            }
            XCTAssertThrowsError(try signer.signing(endless)) {
                XCTAssertEqual($0 as? SignatureError, .tooManyParameters)
            }
            XCTAssertEqual(count, Signature.maximumParameterCount + 1)
        }
    }

    func testOnlySignedParametersAreReturned() throws {
        let signer = try signer(.alipay)
        let signed = try signer.signing(["b": "2", "a": "1"] as KeyValuePairs)
        for added: Parameters in [[], [("coupon", "")], [("sign_type", "RSA")]] {
            let verified = try XCTUnwrap(signer.verified(signed + added))
            XCTAssertEqual(verified.map(\.key), ["a", "b"], "sorted by name, without what was added")
            XCTAssertEqual(verified.map(\.value), ["1", "2"])
        }
        let unsigned: [Parameters] = [[], [("coupon", "")], [("sign_type", "MD5")]]
        for parameters in unsigned {
            XCTAssertNil(signer.verified(try signer.signing(parameters)), "nothing is signed")
        }
    }
}
