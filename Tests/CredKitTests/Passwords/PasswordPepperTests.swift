// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

final class PasswordPepperTests: XCTestCase {
    private func policy() throws -> PasswordPolicy {
        PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(64), passes: 1))
    }

    private func pepper(_ ids: [String], current: String) throws -> PasswordPepper {
        var keys: [String: SecretBytes] = [:]
        for id in ids { keys[id] = try SecretBytes("sixteen bytes of \(id)") }
        return try PasswordPepper(keys: keys, current: current)
    }

    func testPepperedHashesNeedTheirKey() throws {
        let context = try PasswordContext(policy: policy(), pepper: pepper(["a"], current: "a"))
        let record = try context.hash("secret")
        XCTAssertTrue(record.hasPrefix("$pepper-hmac-sha256$keyid=a$argon2id$v=19$"), record)
        XCTAssertEqual(try PasswordHash(record).pepperKeyID, "a")
        XCTAssertEqual(try PasswordHash(record).description, record)
        XCTAssertEqual(try context.verify("secret", against: record), .match(rehashed: nil))
        XCTAssertEqual(try context.verify("secreu", against: record), .mismatch)

        let calls = BackendCalls.count
        for other in [
            try PasswordContext(policy: policy()),
            try PasswordContext(policy: policy(), pepper: pepper(["b"], current: "b")),
        ] {
            XCTAssertThrowsError(try other.verify("secret", against: record)) {
                XCTAssertEqual($0 as? PasswordError, .unknownKey)
            }
        }
        XCTAssertEqual(BackendCalls.count, calls)
    }

    /// The peppered input of the hash function, recomputed by Python.
    func testPepperedInputIsBase64OfTheHMAC() throws {
        let context = try PasswordContext(policy: policy(), pepper: pepper(["a"], current: "a"))
        let record = try context.hash("secret")
        let python = """
            import hmac, base64
            print(base64.b64encode(hmac.new(b'sixteen bytes of a', b'secret', 'sha256').digest()).decode().rstrip('='), end='')
            """
        let peppered = try Program.succeed(["python3", "-c", python]).text
        XCTAssertEqual(peppered.utf8.count, 43)
        let plain = try PasswordContext(policy: policy())
        let inner = String(record.dropFirst("$pepper-hmac-sha256$keyid=a".count))
        XCTAssertTrue(try plain.verify(peppered, against: inner).isMatch)
    }

    func testKeysRotate() throws {
        let old = try PasswordContext(policy: policy(), pepper: pepper(["a"], current: "a"))
        let record = try old.hash("secret")
        let new = try PasswordContext(policy: policy(), pepper: pepper(["a", "b"], current: "b"))
        guard case .match(let upgraded?) = try new.verify("secret", against: record) else {
            return XCTFail("no upgrade to the new key")
        }
        XCTAssertEqual(try PasswordHash(upgraded).pepperKeyID, "b")
        XCTAssertEqual(try new.verify("secret", against: upgraded), .match(rehashed: nil))
        XCTAssertEqual(try new.verify("wrong", against: record), .mismatch)
    }

    func testHashesWithoutAPepperGetOne() throws {
        let record = try PasswordContext(policy: policy()).hash("secret")
        let context = try PasswordContext(policy: policy(), pepper: pepper(["a"], current: "a"))
        guard case .match(let upgraded?) = try context.verify("secret", against: record) else {
            return XCTFail("no upgrade")
        }
        XCTAssertEqual(try PasswordHash(upgraded).pepperKeyID, "a")
    }

    func testAPolicyCanRequireAPepper() throws {
        var policy = try policy()
        let bare = try PasswordContext(policy: policy).hash("secret")
        policy.requiresPepper = true
        XCTAssertThrowsError(try PasswordContext(policy: policy)) {
            XCTAssertEqual($0 as? PasswordError, .pepperRequired)
        }
        let context = try PasswordContext(policy: policy, pepper: pepper(["a"], current: "a"))
        XCTAssertThrowsError(try context.verify("secret", against: bare)) {
            XCTAssertEqual($0 as? PasswordError, .pepperRequired)
        }
        XCTAssertTrue(try context.verify("secret", against: context.hash("secret")).isMatch)
    }

    func testPepperAllowsAnyPasswordWithEveryScheme() throws {
        let long = String(repeating: "x", count: 4096)
        // A SCRAM client cannot apply a pepper.
        let schemes: Set<PasswordHash.Scheme> = [.scramSHA256, .scramSHA512]
        for parameters in try PasswordContextTests.cheapParameters()
        where !schemes.contains(parameters.scheme) {
            let context = try PasswordContext(
                policy: PasswordPolicy(preferred: parameters),
                pepper: pepper(["a"], current: "a")
            )
            for password in [long, "a\0b", ""] {
                let record = try context.hash(password)
                XCTAssertTrue(try context.verify(password, against: record).isMatch, record)
                XCTAssertEqual(try context.verify("y" + password.dropLast(), against: record), .mismatch)
            }
        }
    }

    func testInvalidKeysAreRefused() throws {
        let key = try SecretBytes(randomByteCount: 16)
        for (keys, current) in [
            (["a": try SecretBytes(randomByteCount: 15)], "a"), (["a": key], "b"), ([:], "a"),
            (["": key], ""),
            (["a$b": key], "a$b"),
            ([String(repeating: "a", count: 33): key], String(repeating: "a", count: 33)),
        ] {
            XCTAssertThrowsError(try PasswordPepper(keys: keys, current: current)) {
                XCTAssertEqual($0 as? PasswordError, .invalidParameters)
            }
        }
    }
}
