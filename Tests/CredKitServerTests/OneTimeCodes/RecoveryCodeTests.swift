// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import XCTest

final class RecoveryCodeTests: XCTestCase {
    /// The table of a server.
    private actor Table {
        private(set) var keys: Set<StoreKey>

        init(_ keys: [StoreKey]) { self.keys = Set(keys) }

        func consume(_ key: StoreKey) -> Bool { keys.remove(key) != nil }
    }

    private func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    func testCodesAreDifferentAndReadable() throws {
        let codes = try RecoveryCodes.generate(count: 100).map(text)
        XCTAssertEqual(Set(codes).count, 100)
        XCTAssertEqual(try RecoveryCodes.generate().count, 10)
        for code in codes {
            XCTAssertNotNil(code.wholeMatch(of: /([2-9a-hjkmnp-z]{5}-){3}[2-9a-hjkmnp-z]{5}/), code)
            XCTAssertNotNil(RecoveryCodes.key(of: code, account: "a"))
        }
        for count in [0, -1, 101] {
            XCTAssertThrowsError(try RecoveryCodes.generate(count: count)) {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration)
            }
        }
    }

    func testEachCodeCountsOnceAmongManyTasks() async throws {
        let codes = try RecoveryCodes.generate().map(text)
        let table = Table(codes.compactMap { RecoveryCodes.key(of: $0, account: "alice") })
        for code in codes {
            let results = try await withThrowingTaskGroup(of: RecoveryCodeVerification.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await RecoveryCodes.verify(code, account: "alice") {
                            await table.consume($0)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            XCTAssertEqual(results.count { $0 == .accepted }, 1)
            XCTAssertEqual(results.count { $0 == .rejected }, 63)
        }
        let rest = await table.keys
        XCTAssertTrue(rest.isEmpty)
    }

    func testCodesAreReadAsPeopleTypeThem() throws {
        let code = "abcde-fgh23-45678-9jkmn"
        let key = try XCTUnwrap(RecoveryCodes.key(of: code, account: "a"))
        for other in ["ABCDE-FGH23-45678-9JKMN", "abcdefgh23456789jkmn", " abcde fgh23 45678 9jkmn "] {
            XCTAssertEqual(RecoveryCodes.key(of: other, account: "a"), key)
        }
        for account in ["b", "A", "", "a\u{0}"] {
            XCTAssertNotEqual(RecoveryCodes.key(of: code, account: account), key)
        }
        XCTAssertNotEqual(
            RecoveryCodes.key(of: code, account: "\u{E9}"),
            RecoveryCodes.key(of: code, account: "e\u{301}")
        )
    }

    func testOtherTextsAreMalformed() async throws {
        for text in [
            "", "-", "abcde-fgh23-45678-9jkm", "abcde-fgh23-45678-9jkmnp", "abcde-fgh23-45678-9jkm1",
            "abcde-fgh23-45678-9jkm0", "abcde-fgh23-45678-9jkmi", "abcde-fgh23-45678-9jkml",
            "abcde-fgh23-45678-9jkmo", "abcde-fgh23-45678-9jkm\u{E9}", "abcde_fgh23-45678-9jkmn",
            "abcde-fgh23-45678-9jkmn\n", String(repeating: "-", count: 1 << 20),
        ] {
            let result = try await RecoveryCodes.verify(text, account: "a") { _ in
                XCTFail(text)
                return true
            }
            XCTAssertEqual(result, .malformed, text)
        }
    }

    func testAFailingTableIsAnError() async throws {
        struct Failure: Error {}
        do {
            _ = try await RecoveryCodes.verify("abcde-fgh23-45678-9jkmn", account: "a") { _ in
                throw Failure()
            }
            XCTFail("the table failed")
        } catch {
            XCTAssertEqual(error, .storeFailed)
            XCTAssertFalse("\(error)".contains("abcde"))
        }
    }
}
