// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class OneTimeCodeVectorTests: XCTestCase {
    private struct Counted: Decodable {
        let seed: HexBytes
        let counter: UInt64
        let number: UInt32
        let code: String
    }

    private struct Timed: Decodable {
        let seed: HexBytes
        let algorithm, code: String
        let time: Int64
    }

    func testRFC4226AppendixD() throws {
        let cases = try VectorFile<Counted>.load("rfc4226-hotp").cases
        XCTAssertEqual(cases.map(\.counter), Array(0...9))
        var key = try OneTimeCodeKey(seed: SecretBytes(cases[0].seed.bytes), kind: .counter(next: 0))
        let long = try OneTimeCodeKey(
            seed: SecretBytes(cases[0].seed.bytes),
            kind: .counter(next: 0),
            digitCount: 8
        )
        for vector in cases {
            XCTAssertEqual(key.code(counter: vector.counter).text, vector.code)
            XCTAssertEqual(try key.takeCode().text, vector.code)
            let digits = String(format: vector.number, count: 8)
            XCTAssertEqual(long.code(counter: vector.counter).text, digits)
        }
        XCTAssertEqual(key.kind, .counter(next: 10))
    }

    func testRFC6238AppendixB() throws {
        let cases = try VectorFile<Timed>.load("rfc6238-totp").cases
        XCTAssertEqual(cases.count, 18)
        for vector in cases {
            let algorithm = try XCTUnwrap(
                OneTimeCodeKey.Algorithm.allCases.first { $0.uriName == vector.algorithm }
            )
            XCTAssertEqual(vector.seed.bytes.count, algorithm.digestByteCount)
            let seed = try SecretBytes(vector.seed.bytes)
            for digitCount in 6...8 {
                let key = try OneTimeCodeKey(seed: seed, algorithm: algorithm, digitCount: digitCount)
                let code = try key.code(at: UnixTime(vector.time))
                XCTAssertEqual(code.text, String(vector.code.suffix(digitCount)))
            }
        }
    }
}

extension String {
    /// The last digits of a number, with leading zeros.
    fileprivate init(format number: UInt32, count: Int) {
        let digits = "00000000\(number)"
        self = String(digits.suffix(count))
    }
}
