// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class SaltedMD5Tests: XCTestCase {
    // Python computed the expected values: hashlib.md5(…).hexdigest(), repeated over the text for several rounds.

    func testSaltAfterAndBeforeThePassword() {
        XCTAssertEqual(Legacy.SaltedMD5(salt: "shop").hash("secret").hex, "f433c50293bc7afbe20b67ceb15a1e55")
        XCTAssertEqual(
            Legacy.SaltedMD5(salt: "shop", position: .prefix).hash("secret").hex,
            "f2168be713eb9429b4d9c3a7c574daac"
        )
    }

    func testRoundsHashTheHexadecimalText() throws {
        XCTAssertEqual(
            try Legacy.SaltedMD5(salt: "", rounds: 1).hash("123456").hex,
            "e10adc3949ba59abbe56e057f20f883e"
        )
        XCTAssertEqual(
            try Legacy.SaltedMD5(salt: "", rounds: 2).hash("123456").hex,
            "14e1b600b1fd579f47433b88e8d85291"
        )
        XCTAssertEqual(
            try Legacy.SaltedMD5(salt: "shop", rounds: 3).hash("secret").hex,
            "7f52ed476fb5a6fdd953dfc87046fe42"
        )
    }

    func testPasswordsAreUTF8AndMayContainNUL() {
        XCTAssertEqual(Legacy.SaltedMD5(salt: "盐").hash("pässwörd").hex, "44a6aafac3c86439ac94d18b5032c286")
        XCTAssertEqual(Legacy.SaltedMD5(salt: "s").hash("a\0b").hex, "a1bf7ca17552583de8b87936f03dd867")
    }

    func testAllInputTypesAreEquivalent() throws {
        let scheme = Legacy.SaltedMD5(salt: "shop")
        let expected = scheme.hash("secret")
        XCTAssertEqual(scheme.hash("a secret"[...].dropFirst(2)), expected)
        XCTAssertEqual(scheme.hash(Array("secret".utf8)), expected)
        XCTAssertEqual(scheme.hash(Array("secret".utf8)[...]), expected)
        XCTAssertEqual(scheme.hash(try SecretBytes("secret")), expected)
    }

    func testRoundsOutOfRangeAreRefused() {
        for rounds in [Int.min, -1, 0, Legacy.SaltedMD5.maximumRounds + 1, Int.max] {
            XCTAssertThrowsError(try Legacy.SaltedMD5(salt: "", rounds: rounds)) {
                XCTAssertEqual(($0 as? Legacy.SaltedMD5.RoundsError)?.rounds, rounds)
            }
        }
        XCTAssertNoThrow(try Legacy.SaltedMD5(salt: "", rounds: Legacy.SaltedMD5.maximumRounds))
    }
}
