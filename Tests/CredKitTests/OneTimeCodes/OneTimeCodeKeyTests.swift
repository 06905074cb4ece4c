// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class OneTimeCodeKeyTests: XCTestCase {
    private func key(_ byteCount: Int) throws -> OneTimeCodeKey {
        try OneTimeCodeKey(seed: SecretBytes(randomByteCount: byteCount))
    }

    func testSeedsHaveASizeWithinLimits() throws {
        XCTAssertThrowsError(try key(0)) { XCTAssertEqual($0 as? OneTimeCodeError, .invalidParameters) }
        XCTAssertTrue(try key(1).isShort)
        XCTAssertTrue(try key(15).isShort)
        XCTAssertFalse(try key(16).isShort)
        XCTAssertFalse(try key(1024).isShort)
        for count in [1025, 10_000] {
            XCTAssertThrowsError(try key(count)) {
                XCTAssertEqual($0 as? OneTimeCodeError, .overLimit)
                XCTAssertEqual(
                    "\($0)",
                    "over the limit: the seed has \(count) bytes; at most 1024 are accepted"
                )
            }
        }
        let text = Base32.standard.encode(SecureRandom.bytes(count: 10_000))
        XCTAssertThrowsError(try OneTimeCodeKey(base32: text)) {
            XCTAssertEqual($0 as? OneTimeCodeError, .overLimit)
        }
        XCTAssertThrowsError(try OneTimeCodeKey(uri: "otpauth://totp/a?secret=\(text)")) {
            XCTAssertEqual($0 as? OneTimeCodeError, .overLimit)
        }
    }

    func testNewSeedsHaveTheLengthOfTheDigest() throws {
        for algorithm in OneTimeCodeKey.Algorithm.allCases {
            let keys = try (0..<2).map { _ in
                try OneTimeCodeKey.generate(algorithm: algorithm, issuer: "Example", account: "alice")
            }
            XCTAssertEqual(keys[0].seed.count, algorithm.digestByteCount)
            XCTAssertFalse(keys[0].isShort)
            XCTAssertNotEqual(keys[0], keys[1])
        }
    }

    func testParametersHaveLimits() throws {
        let seed = try SecretBytes(randomByteCount: 20)
        func refuses(_ make: @autoclosure () throws -> OneTimeCodeKey, line: UInt = #line) {
            XCTAssertThrowsError(try make(), line: line) {
                XCTAssertEqual($0 as? OneTimeCodeError, .invalidParameters, line: line)
            }
        }
        for count in [-1, 0, 5, 9, Int.max] { refuses(try OneTimeCodeKey(seed: seed, digitCount: count)) }
        for period in [
            Duration.zero, .seconds(-30), .seconds(3601), .milliseconds(1500), .seconds(Int64.max),
        ] {
            refuses(try OneTimeCodeKey(seed: seed, kind: .time(period: period)))
        }
        for name in ["a:b", " a", "a ", "a\n", "\u{0}", "a\u{85}"] {
            refuses(try OneTimeCodeKey(seed: seed, issuer: name))
            refuses(try OneTimeCodeKey(seed: seed, account: name))
        }
        refuses(try OneTimeCodeKey(seed: seed, issuer: ""))
        XCTAssertNoThrow(try OneTimeCodeKey(seed: seed, issuer: "a", account: "b:c"))
        let long = String(repeating: "é", count: 129)
        XCTAssertThrowsError(try OneTimeCodeKey(seed: seed, account: long)) {
            XCTAssertEqual($0 as? OneTimeCodeError, .overLimit)
        }
    }

    func testNamesAreComparedAsBytes() throws {
        let seed = try SecretBytes(randomByteCount: 20)
        let composed = try OneTimeCodeKey(seed: seed, issuer: "\u{E9}", account: "a")
        let decomposed = try OneTimeCodeKey(seed: seed, issuer: "e\u{301}", account: "a")
        XCTAssertEqual(composed.issuer, decomposed.issuer)
        XCTAssertNotEqual(composed, decomposed)
        XCTAssertEqual(composed, try OneTimeCodeKey(uri: composed.uri()))
        XCTAssertEqual(decomposed, try OneTimeCodeKey(uri: decomposed.uri()))
    }

    func testATimeSelectsTheCodeOfItsPeriod() throws {
        let key = try key(20)
        XCTAssertEqual(try key.code(at: UnixTime(59)), key.code(counter: 1))
        XCTAssertEqual(try key.code(at: UnixTime(60)), key.code(counter: 2))
        XCTAssertEqual(try key.expiry(ofCodeAt: UnixTime(59)), UnixTime(60))
        XCTAssertEqual(try key.expiry(ofCodeAt: UnixTime(60)), UnixTime(90))
        XCTAssertNoThrow(try key.expiry(ofCodeAt: UnixTime(.max)))
        XCTAssertThrowsError(try key.code(at: UnixTime(-1))) {
            XCTAssertEqual($0 as? OneTimeCodeError, .invalidParameters)
        }
    }

    func testEachKindHasItsOwnFunctions() throws {
        var timed = try key(20)
        XCTAssertThrowsError(try timed.takeCode()) { XCTAssertEqual($0 as? OneTimeCodeError, .wrongKind) }
        var counted = try OneTimeCodeKey(seed: timed.seed, kind: .counter(next: .max - 1))
        XCTAssertThrowsError(try counted.code()) { XCTAssertEqual($0 as? OneTimeCodeError, .wrongKind) }
        XCTAssertEqual(try counted.takeCode(), counted.code(counter: .max - 1))
        XCTAssertThrowsError(try counted.takeCode()) {
            XCTAssertEqual($0 as? OneTimeCodeError, .counterExhausted)
        }
        XCTAssertEqual(try counted.withCounter(7).kind, .counter(next: 7))
    }

    func testOnlyASCIIDigitsAreACode() {
        for text in ["000000", "1234567", "99999999"] { XCTAssertEqual(OneTimeCode(text)?.text, text) }
        let others = [
            "", "12345", "123456789", " 123456", "123 456", "123456\n", "+12345", "-12345", "12345a",
            "١٢٣٤٥٦", "１２３４５６", "12345\u{301}6", "123456\u{301}", "0x1234", "1234\u{0}56",
        ]
        for text in others { XCTAssertNil(OneTimeCode(text), text) }
        XCTAssertNil(OneTimeCode(String(repeating: "1", count: 100_000)))
        XCTAssertNotEqual(OneTimeCode("123456"), OneTimeCode("1234560"))
    }

    func testEveryCounterOfAWindowIsFound() throws {
        let key = try OneTimeCodeKey(seed: SecretBytes([1, 2, 3]))
        let window: ClosedRange<UInt64> = 100...140
        for counter in window {
            XCTAssertEqual(key.counters(of: key.code(counter: counter), in: window), counter...counter)
        }
        XCTAssertNil(key.counters(of: key.code(counter: 99), in: window))
        let last = UInt64.max
        XCTAssertEqual(key.counters(of: key.code(counter: last), in: last - 2...last), last...last)
    }

    func testTheOldestAndTheNewestOfEqualCodesAreFound() throws {
        let key = try OneTimeCodeKey(seed: SecretBytes([1, 2, 3]))
        // Among some thousand codes of 6 digits, several are equal by chance.
        let codes = key.codes(counters: 0...4000).map(\.text)
        let counters = Dictionary(grouping: codes.indices, by: { codes[$0] }).values.filter { $0.count > 1 }
        XCTAssertFalse(counters.isEmpty)
        for equal in counters {
            let code = key.code(counter: UInt64(equal[0]))
            let expected = UInt64(equal[0])...UInt64(equal[equal.count - 1])
            XCTAssertEqual(key.counters(of: code, in: 0...4000), expected)
        }
    }

    func testNothingPrintsTheSecret() throws {
        let key = try OneTimeCodeKey(base32: "JBSWY3DPEHPK3PXP", issuer: "Example", account: "alice")
        let code = try key.code()
        var printed = "\(key) \(String(reflecting: key)) \(code) \(String(reflecting: code)) "
        dump(key, to: &printed)
        dump([code], to: &printed)
        printed += "\(try key.uri()) \(try key.base32Seed()) \(key.seed)"
        for secret in ["JBSWY3DP", "Hello", "48656c6c6f", "72, 101", code.text] {
            XCTAssertFalse(printed.lowercased().contains(secret.lowercased()), printed)
        }
        XCTAssertTrue(printed.contains("TOTP every 30 s"), printed)
    }
}
