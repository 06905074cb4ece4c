// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitKeychain

final class CredentialKeyTests: XCTestCase {
    func testMissingAccountDiffersFromEmptyAccount() {
        let none = CredentialKey(service: "s", account: nil)
        let empty = CredentialKey(service: "s", account: "")
        XCTAssertFalse(none.isSame(as: empty))
        XCTAssertFalse(none.answers(empty))
        XCTAssertEqual(CredentialKey(allAttributes: none.allAttributes), none)
        XCTAssertEqual(CredentialKey(allAttributes: empty.allAttributes), empty)
    }

    func testNamesAreComparedByBytes() {
        let composed = CredentialKey(service: "caf\u{E9}", account: "a", attributes: ["x": "\u{E9}"])
        let decomposed = CredentialKey(service: "cafe\u{301}", account: "a", attributes: ["x": "e\u{301}"])
        XCTAssertFalse(composed.isSame(as: decomposed))
        XCTAssertFalse(composed.answers(decomposed))
        XCTAssertFalse(composed.matches(["x": "e\u{301}"]))
    }

    func testNamesOfAttributesAreComparedByBytes() {
        for (one, other) in [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")] {
            let key = CredentialKey(service: "s", account: "a", attributes: [one: "x"])
            let lookalike = CredentialKey(service: "s", account: "a", attributes: [other: "x"])
            XCTAssertNotEqual(key, lookalike)
            XCTAssertFalse(key.isSame(as: lookalike))
            XCTAssertFalse(key.answers(lookalike))
            XCTAssertFalse(key.matches([other: "x"]))
            XCTAssertTrue(key.matches([one: "x"]))
            XCTAssertEqual(Set([key, lookalike]).count, 2)
        }
    }

    func testAttributesThatNameTheWriterAreIgnored() {
        let ours = CredentialKey(service: "s", account: "a")
        let theirs = CredentialKey(
            service: "s",
            account: "a",
            attributes: [
                "application": "Python keyring library", "xdg:schema": "org.freedesktop.Secret.Generic",
            ]
        )
        XCTAssertTrue(ours.isSame(as: theirs))
        XCTAssertFalse(ours.isSame(as: CredentialKey(service: "s", account: "a", attributes: ["realm": "x"])))
    }

    func testLabelOfALongKeyCanBeStored() throws {
        let long = CredentialKey(service: String(repeating: "ü", count: 2048), account: "a")
        let item = CredentialItem(key: long)
        XCTAssertEqual(item.label.utf8.count, 4095)
        XCTAssertNoThrow(try item.check())
    }
}
