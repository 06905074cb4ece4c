// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Names are compared and split as bytes. Swift's strings treat an accent as a part of the character before it, and some
/// different characters as equal.
final class ByteComparisonTests: ShellTestCase {
    func testAttributesAreSplitAtTheirFirstEqualsSign() throws {
        try run("printf x | credkit keychain set s a --attribute $'n=\\u0301v=w'")
        let json = try run("credkit keychain list --json").output
        let object = try JSONSerialization.jsonObject(with: json) as? [String: Any]
        let attributes = try XCTUnwrap(object?["attributes"] as? [String: String])
        XCTAssertEqual(attributes.map { Array($0.key.utf8) }, [Array("n".utf8)])
        XCTAssertEqual(attributes.map { Array($0.value.utf8) }, [Array("\u{301}v=w".utf8)])
    }

    func testItemsOfSimilarNamesAreDistinguished() throws {
        // é as one character and as two.
        let names = ["$'\\u00e9'", "$'e\\u0301'"]
        for (index, name) in names.enumerated() {
            try run("printf \(index) | credkit keychain set \(name) \(name)")
        }
        for (index, name) in names.enumerated() {
            XCTAssertEqual(try run("credkit keychain get \(name) \(name)").text, "\(index)")
            XCTAssertEqual(try run("credkit keychain list \(name) | wc -l").text, "1\n")
        }
        try run("printf x | credkit keychain set s a --attribute $'\\u00e9=1'")
        try run("credkit keychain get s a --attribute $'e\\u0301=1'", 1)
        try run("credkit keychain list $'e\\u0301=1'", 1)
    }

    func testPathsBeginWithASlashOfTheirOwn() throws {
        // The accent is the first character of a file's name in the root of this folder.
        try run(
            "printf x | credkit keychain set s --vault \"$PWD/\"$'\\u0301.vault'; test -e $'\\u0301.vault'"
        )
        try run("credkit keychain move --from \"$PWD\"/$'\\u0301.vault' --to vault")
        // The names differ, and there is no such vault.
        try run("credkit keychain move --from $'/\\u00e9' --to $'/e\\u0301' --dry-run", 74)
        try run(
            "printf 'X-One: 1\\n' > $'\\u0301h'; credkit request http://127.0.0.1:1/ -H $'@\\u0301h' --anonymous",
            69
        )
    }

    func testSessionsOfSimilarNamesAreDistinguished() throws {
        let server = try LoginServer(shell)
        defer { server.stop() }
        let login =
            "credkit login http://127.0.0.1:\(server.port) --user alice --key-phrase itheima --session $'\\u00e9'"
        try run("printf 123456 | \(login)")
        let outcome = try run("credkit logout --session $'e\\u0301'", 1)
        XCTAssertTrue(outcome.errors.contains("there is no session"), outcome.errors)
        try run("credkit logout --session $'\\u00e9'")
    }
}
