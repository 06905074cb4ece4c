// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

/// The settings of a shared state, the names in its engine, and what the engines' errors mean.
final class SharedStateConfigurationTests: XCTestCase {
    private static let key = [UInt8](repeating: 7, count: 32)

    func testBadSettingsAreRefused() throws {
        XCTAssertNoThrow(try SharedStateConfiguration(key: Self.key, namespace: "Shop_2"))
        for namespace in [
            "", "2", "_a", "a-b", "a b", "a}", "é", "a\0", "a\"", "public", "pg_x", "information_schema",
            String(repeating: "a", count: 33),
        ] {
            XCTAssertThrowsError(
                try SharedStateConfiguration(key: Self.key, namespace: namespace),
                namespace
            ) {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration)
            }
        }
        XCTAssertThrowsError(try SharedStateConfiguration(key: Array(Self.key.dropLast())))
        for difference in [Duration.zero, .milliseconds(999), .seconds(31)] {
            XCTAssertThrowsError(
                try SharedStateConfiguration(key: Self.key, permittedClockDifference: difference)
            )
        }
        for limit in [Duration.zero, .milliseconds(9), .seconds(11)] {
            XCTAssertThrowsError(try SharedStateConfiguration(key: Self.key, timeLimit: limit))
        }
    }

    /// Without the servers' secret, a name in the engine tells nothing; kinds, keys and servers differ.
    func testNamesDependOnSecretKindAndKey() throws {
        let names = StoredNames(try SharedStateConfiguration(key: Self.key))
        let others = StoredNames(try SharedStateConfiguration(key: Self.key + [1]))
        let alice = StoreKey("account", "alice")
        // As python's hmac and hashlib compute it: the HMAC-SHA-256 of the kind and the SHA-256 of the parts.
        XCTAssertEqual(
            Hex.encode(names.name(.rate, alice)),
            "d311b97cb2d1e6f95a13f1d2096b4ae13a44def221702528dcc19cc57dc2e2f0"
        )
        let all = [
            names.name(.rate, alice), names.name(.replay, alice), others.name(.rate, alice),
            names.name(.rate, StoreKey("account", "bob")), names.name(.user, "alice"), alice.bytes,
        ]
        XCTAssertEqual(Set(all).count, all.count)
        XCTAssertEqual(names.name(.rate, alice), names.name(.rate, StoreKey("account", "alice")))
    }

    func testErrorsOfRedisAreNamed() {
        for (text, code) in [
            ("LOADING Redis is loading the dataset in memory", .loading),
            ("READONLY You can't write against a read only replica.", .readOnly),
            ("MASTERDOWN Link with MASTER is down", .noReplicas),
            ("NOREPLICAS Not enough good replicas to write.", .noReplicas),
            ("OOM command not allowed when used memory > 'maxmemory'.", .outOfSpace),
            ("MISCONF Redis is configured to save RDB snapshots", .outOfSpace),
            ("BUSY Redis is busy running a script.", .busy), ("MOVED 3999 127.0.0.1:6381", .readOnly),
            ("NOPERM this user has no permissions", .notPermitted),
            ("NOAUTH Authentication required.", .loginFailed),
            ("WRONGPASS invalid username-password pair", .loginFailed),
            ("WRONGTYPE Operation against", .wrongContent),
            ("ERR The user executing the script can't run this command or subcommand script", .notPermitted),
            ("ERR ACL failure in script: User u has no permissions to run the 'get' command", .notPermitted),
            ("ERR unknown command", .failed), ("", .failed), ("\0\u{FF}", .failed),
        ] as [(String, SharedStateError.Code)] {
            XCTAssertEqual(SharedStateError(redisError: text).code, code, text)
        }
        let secret = SharedStateError(
            redisError: "ERR unknown command 'hunter2', with args beginning with: 'x'"
        )
        XCTAssertFalse(secret.description.contains("hunter2"))
        XCTAssertLessThan(
            SharedStateError(redisError: String(repeating: "A", count: 1 << 20)).description.count,
            100
        )
    }

    func testErrorsOfPostgreSQLAreNamed() {
        for (state, code) in [
            ("57014", .timedOut), ("57P01", .disconnected), ("57P03", .loading), ("25006", .readOnly),
            ("42501", .notPermitted), ("53300", .overloaded), ("53100", .outOfSpace), ("53200", .outOfSpace),
            ("40P01", .busy), ("55P03", .busy), ("40001", .busy), ("42P01", .wrongContent),
            ("08006", .disconnected), ("28P01", .loginFailed), ("28000", .loginFailed), ("XX000", .failed),
            ("", .failed), ("é", .failed),
        ] as [(String, SharedStateError.Code)] {
            XCTAssertEqual(SharedStateError(sqlState: state, message: "x").code, code, state)
        }
    }
}
