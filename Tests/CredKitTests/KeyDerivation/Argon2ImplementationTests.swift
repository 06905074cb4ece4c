// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// The two implementations of Argon2 make and verify the same hashes. `script/test-kernels` compares the kernels with
/// libargon2 on more parameters.
final class Argon2ImplementationTests: XCTestCase {
    private static let isDeep = TestForm.isDeep

    private func context(
        _ implementation: Argon2Implementation,
        memoryKiB: Int = 64,
        passes: Int = 1
    ) throws -> PasswordContext {
        var policy = PasswordPolicy(
            preferred: try .argon2id(memory: .kibibytes(memoryKiB), passes: passes)
        )
        policy.argon2Implementation = implementation
        return try PasswordContext(policy: policy)
    }

    func testBothVerifyTheHashesOfTheOther() throws {
        for round in 0..<(Self.isDeep ? 2000 : 60) {
            let (memoryKiB, passes) = (Int.random(in: 8...2048), Int.random(in: 1...5))
            let password = (0..<Int.random(in: 0...100)).map { _ in UInt8.random(in: 0...255) }
            let both = try [Argon2Implementation.vectorized, .libsodium].map {
                try context($0, memoryKiB: memoryKiB, passes: passes)
            }
            let hash = try both[round % 2].hash(password)
            XCTAssertEqual(
                try both[1 - round % 2].verify(password, against: hash),
                .match(rehashed: nil),
                hash
            )
            XCTAssertEqual(try both[1 - round % 2].verify(password + [1], against: hash), .mismatch, hash)
        }
    }

    func testStoredHashesThatLibsodiumLacks() throws {
        // Of the argon2 command, with the password "password".
        let hashes = [
            "$argon2d$v=19$m=32,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$TN/Ct9AAYJV3u9JWqgQwDtjm6nK+4a47TJmUYnGwEwk",
            "$argon2i$v=16$m=256,t=2,p=2$c29tZXNhbHQ$tsEVYKap1h6scGt5ovl9aLRGOqOth+AMB+KwHpDFZPs",
        ]
        let (vectorized, libsodium) = (try context(.vectorized), try context(.libsodium))
        for hash in hashes {
            XCTAssertTrue(try vectorized.verify("password", against: hash).isMatch, hash)
            XCTAssertEqual(try vectorized.verify("passwort", against: hash), .mismatch, hash)
            XCTAssertEqual(try PasswordHash(hash).description, hash)
            XCTAssertNotNil(try PasswordHash(hash).weakness)
            XCTAssertThrowsError(try libsodium.verify("password", against: hash), hash) {
                XCTAssertEqual($0 as? PasswordError, .unsupported)
            }
        }
    }

    func testVersion16IsWeakerThanAnyOfVersion19() throws {
        let salt = "c29tZXNhbHRzb21lc2FsdA"
        let digest = String(repeating: "A", count: 43)
        let costs = "m=262144,t=9,p=1"
        let context = try context(.vectorized)
        XCTAssertEqual(
            context.assess(try PasswordHash("$argon2id$v=19$\(costs)$\(salt)$\(digest)")),
            .current
        )
        for version in ["v=16$", ""] {
            let hash = try PasswordHash("$argon2id$\(version)\(costs)$\(salt)$\(digest)")
            XCTAssertEqual(context.assess(hash), .weaker)
            XCTAssertEqual(hash.description, "$argon2id$\(version)\(costs)$\(salt)$\(digest)")
            XCTAssertTrue(hash.parameters.contains(.init("version", 16)))
        }
    }

    func testLockedMemoryMakesTheSameHashes() throws {
        var policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(64), passes: 1))
        policy.locksArgon2Memory = true
        let locked = try PasswordContext(policy: policy)
        let hash = try locked.hash("password")
        XCTAssertEqual(try context(.vectorized).verify("password", against: hash), .match(rehashed: nil))
        XCTAssertEqual(try locked.verify("password", against: hash), .match(rehashed: nil))
        XCTAssertEqual(try locked.verify("passwort", against: hash), .mismatch)
    }

    func testLibsodiumDoesNotComputeInsteadOfLockedMemory() throws {
        var policy = PasswordPolicy(preferred: try .argon2id(memory: .kibibytes(64), passes: 1))
        policy.locksArgon2Memory = true
        policy.argon2Implementation = .libsodium
        let context = try PasswordContext(policy: policy)
        // The second one has two lanes.
        let hashes = [
            try self.context(.libsodium).hash("password"),
            "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHRzb21lc2FsdA$\(String(repeating: "A", count: 43))",
        ]
        XCTAssertThrowsError(try context.hash("password")) {
            XCTAssertEqual($0 as? PasswordError, .unsupported)
        }
        for hash in hashes {
            XCTAssertThrowsError(try context.verify("password", against: hash), hash) {
                XCTAssertEqual($0 as? PasswordError, .unsupported)
            }
        }
    }

    func testRaisedInterruptionEndsAComputation() throws {
        let interruption = Interruption()
        let context = PasswordContext(
            try context(.vectorized, memoryKiB: 1 << 18, passes: 30),
            interruption: interruption
        )
        // Before the computation or during it. One that does not look at the flag would return a hash.
        Thread { interruption.raise() }.start()
        XCTAssertThrowsError(try context.hash("password")) {
            XCTAssertEqual($0 as? PasswordError, .cancelled)
        }
    }
}
