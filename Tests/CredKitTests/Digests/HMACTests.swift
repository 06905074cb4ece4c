// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class HMACTests: XCTestCase {
    private struct Case: Decodable {
        let algorithm: String
        let test: Int
        let key: HexBytes
        let message: HexBytes
        let code: String
        let truncated: Bool?
    }

    func testRFC2202AndRFC4231Vectors() throws {
        let files = try ["rfc2202-hmac", "rfc4231-hmac"].map { try VectorFile<Case>.load($0) }
        var seen: [String: Int] = [:]
        for vector in files.flatMap(\.cases) {
            func code<Function: DigestAlgorithm>(_: Function.Type) -> String {
                let key = HMAC<Function>.Key(vector.key.bytes)
                let whole = HMAC<Function>.authenticationCode(for: vector.message.bytes.span, using: key)
                var hmac = HMAC<Function>(key: key)
                for piece in vector.message.bytes.randomPieces() { hmac.update(piece.span) }
                XCTAssertEqual(hmac.finalize(), whole)
                XCTAssertEqual(hmac.finalize(), whole)
                return Hex.encode(whole)
            }
            let actual =
                switch vector.algorithm {
                case "MD5": code(Legacy.MD5.self)
                case "SHA1": code(Legacy.SHA1.self)
                case "SHA256": code(SHA256.self)
                case "SHA384": code(SHA384.self)
                default: code(SHA512.self)
                }
            seen[vector.algorithm, default: 0] += 1
            XCTAssertEqual(
                vector.truncated == true ? String(actual.prefix(32)) : actual,
                vector.code,
                "\(vector.algorithm) test \(vector.test)"
            )
        }
        XCTAssertEqual(seen, ["MD5": 7, "SHA1": 7, "SHA256": 7, "SHA384": 7, "SHA512": 7])
    }
}
