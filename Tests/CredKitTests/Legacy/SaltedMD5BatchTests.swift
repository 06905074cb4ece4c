// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// Compares many passwords hashed at once with the same ones hashed one by one.
final class SaltedMD5BatchTests: XCTestCase {
    private func check(_ scheme: Legacy.SaltedMD5, _ passwords: [String], line: UInt = #line) {
        let hashes = scheme.hashes(of: passwords).map { $0.hex }
        XCTAssertEqual(hashes, passwords.map { scheme.hash($0).hex }, line: line)
    }

    func testEachPasswordHasItsOwnHash() throws {
        let passwords = (0..<200).map { String(repeating: "p\($0)", count: $0 % 23) }
        for count in [0, 1, 16, 63, 64, 65, 200] {
            for rounds in [1, 2, 3, 100] {
                check(try Legacy.SaltedMD5(salt: "shop", rounds: rounds), Array(passwords[..<count]))
            }
        }
        check(Legacy.SaltedMD5(salt: "before", position: .prefix), passwords)
        check(Legacy.SaltedMD5(salt: ""), passwords)
        check(Legacy.SaltedMD5(salt: String(repeating: "long", count: 99)), passwords)
    }

    func testSecretBytesAreAccepted() throws {
        let scheme = Legacy.SaltedMD5(salt: "shop")
        // printf secretshop | md5sum
        let hashes = scheme.hashes(of: [try SecretBytes("secret")]).map { $0.hex }
        XCTAssertEqual(hashes, ["f433c50293bc7afbe20b67ceb15a1e55"])
    }
}
