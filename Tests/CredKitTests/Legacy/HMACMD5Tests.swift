// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Dispatch
import XCTest

final class HMACMD5Tests: XCTestCase {
    private let key = Legacy.HMACMD5.Key("84143")

    func testPasswordWithATextKey() {
        // The example of hashcat's mode 60.
        let code = Legacy.HMACMD5.authenticationCode(forPassword: "hashcat", using: key)
        XCTAssertEqual(code.hex, "7f51edecfa6fb401a0b5e63d33fc8c0e")
        XCTAssertEqual(Legacy.HMACMD5.authenticationCode(for: "hashcat".utf8, using: key), code)
    }

    func testKeyIsReusableForWholeAndIncrementalMessages() {
        var code = Legacy.HMACMD5(key: key)
        code.update(data: "hash".utf8)
        let early = code.finalize()
        code.update(data: "cat".utf8)
        XCTAssertEqual(code.finalize().hex, "7f51edecfa6fb401a0b5e63d33fc8c0e")
        XCTAssertEqual(early, Legacy.HMACMD5.authenticationCode(for: "hash".utf8, using: key))
    }

    func testWholeAndIncrementalMessagesHaveTheSameCode() {
        // Lengths around those at which the padding needs one more block.
        for length in Array(0...260) + [1000, 4096] {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
            var code = Legacy.HMACMD5(key: key)
            code.update(data: message.prefix(length / 3))
            code.update(data: message.dropFirst(length / 3))
            let whole = Legacy.HMACMD5.authenticationCode(for: message, using: key)
            XCTAssertEqual(whole, code.finalizeAndWipe(), "\(length)")
        }
    }

    func testNULDoesNotEndAPassword() throws {
        // python3: hmac.new(b"84143", b"hash\0cat", "md5").hexdigest()
        let code = Legacy.HMACMD5.authenticationCode(forPassword: "hash\0cat", using: key)
        XCTAssertEqual(code.hex, "c6767acacb3086b357358935f464abe7")
        XCTAssertNotEqual(code, Legacy.HMACMD5.authenticationCode(forPassword: "hash", using: key))
    }

    func testValidity() {
        let code = Legacy.HMACMD5.authenticationCode(for: "message".utf8, using: key)
        XCTAssertTrue(Legacy.HMACMD5.isValid(code, authenticating: "message".utf8, using: key))
        XCTAssertTrue(Legacy.HMACMD5.isValid(code.bytes, authenticating: "message".utf8, using: key))
        XCTAssertFalse(Legacy.HMACMD5.isValid(code, authenticating: "massage".utf8, using: key))
        XCTAssertFalse(
            Legacy.HMACMD5.isValid(code, authenticating: "message".utf8, using: Legacy.HMACMD5.Key("84144"))
        )
        XCTAssertFalse(
            Legacy.HMACMD5.isValid(code.bytes.dropLast(), authenticating: "message".utf8, using: key)
        )
        XCTAssertFalse(Legacy.HMACMD5.isValid([], authenticating: "message".utf8, using: key))
        for index in code.indices {
            var bytes = code.bytes
            bytes[index] ^= 0x80
            XCTAssertFalse(Legacy.HMACMD5.isValid(bytes, authenticating: "message".utf8, using: key))
        }
    }

    func testKeyIsNotPrinted() {
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            XCTAssertFalse(text.contains("84143"), text)
            XCTAssertTrue(text.contains("‹redacted›"), text)
        }
    }

    func testOneKeyOnManyThreads() {
        let expected = Legacy.HMACMD5.authenticationCode(for: "message".utf8, using: key)
        DispatchQueue.concurrentPerform(iterations: 64) { [key] _ in
            for _ in 0..<100 {
                XCTAssertEqual(Legacy.HMACMD5.authenticationCode(for: "message".utf8, using: key), expected)
            }
        }
    }
}
