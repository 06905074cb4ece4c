// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKit

/// What a login shows of users who do not exist.
final class SCRAMMockVerifierTests: XCTestCase {
    private let kinds: [SCRAM.MockVerifiers.Kind] = [
        .init(iterations: 4096, subject: .passwordEquivalent, count: 700),
        .init(iterations: 600_000, saltByteCount: 24, count: 200),
        .init(iterations: 15_000, count: 100),
    ]

    private func mocks(_ key: UInt8 = 1) throws -> SCRAM.MockVerifiers {
        try SCRAM.MockVerifiers(key: SecretBytes([UInt8](repeating: key, count: 32)), kinds: kinds)
    }

    func testStability() throws {
        let first = try mocks()
        for name in ["alice", "", "e\u{301}", "é", String(repeating: "a", count: 1024)] {
            XCTAssertEqual(first.verifier(for: name).verifier, try mocks().verifier(for: name).verifier)
            XCTAssertNotEqual(first.verifier(for: name).verifier, try mocks(2).verifier(for: name).verifier)
        }
        // Two spellings that Swift takes for equal are two names.
        XCTAssertNotEqual(
            first.verifier(for: "e\u{301}").verifier.salt,
            first.verifier(for: "é").verifier.salt
        )
    }

    /// The shares are those of the table: chi-squared with two degrees of freedom, below 13.8 in 999 of 1,000 cases. The key
    /// is fixed, so the result is, too.
    func testShares() throws {
        let mocks = try mocks()
        var counts: [Int: Int] = [:]
        var salts: Set<[UInt8]> = []
        let count = 10_000
        for number in 0..<count {
            let (verifier, subject) = mocks.verifier(for: "user\(number)")
            counts[verifier.iterations, default: 0] += 1
            salts.insert(verifier.salt)
            let kind = try XCTUnwrap(kinds.first { $0.iterations == verifier.iterations })
            XCTAssertEqual(verifier.salt.count, kind.saltByteCount)
            XCTAssertEqual(subject, kind.subject)
            XCTAssertEqual([verifier.storedKey.count, verifier.serverKey.count], [32, 32])
        }
        XCTAssertEqual(salts.count, count)
        let chiSquared = kinds.reduce(0.0) { sum, kind in
            let expected = Double(count * kind.count) / 1000
            let difference = Double(counts[kind.iterations] ?? 0) - expected
            return sum + difference * difference / expected
        }
        XCTAssertLessThan(chiSquared, 13.8, "\(counts)")
    }

    /// Salt and keys are not parts of one another.
    func testIndependence() throws {
        let verifier = try mocks().verifier(for: "alice").verifier
        XCTAssertFalse(verifier.storedKey.starts(with: verifier.salt))
        XCTAssertNotEqual(verifier.storedKey, verifier.serverKey)
        let login = try SCRAM.Client(username: "alice")
        let server = try SCRAM.Server(clientFirst: .init(login.firstMessage), verifier: verifier)
        let challenge = try login.challenge(from: server.firstMessage)
        let keys = try SCRAM.ClientKeys(password: "any", for: challenge)
        XCTAssertEqual(
            try server.verify(login.finalMessage(for: challenge, keys: keys).message),
            .rejected(answer: "e=invalid-proof")
        )
    }

    func testInvalidSettings() throws {
        let key = try SecretBytes([UInt8](repeating: 1, count: 32))
        assertSCRAM(.overLimit) { try SCRAM.MockVerifiers(key: key, kinds: []) }
        for kind in [
            SCRAM.MockVerifiers.Kind(iterations: 0), .init(iterations: -1), .init(iterations: Int.max),
            .init(iterations: 4096, saltByteCount: 0), .init(iterations: 4096, saltByteCount: 256),
            .init(iterations: 4096, count: 0), .init(iterations: 4096, count: -1),
            .init(iterations: 4096, count: Int.max), .init(hashFunction: .sha1, iterations: 4096),
        ] {
            assertSCRAM(.overLimit) { try SCRAM.MockVerifiers(key: key, kinds: [kind]) }
        }
        assertSCRAM(.overLimit) {
            try SCRAM.MockVerifiers(
                key: SecretBytes([UInt8](repeating: 1, count: 31)),
                kinds: [.init(iterations: 4096)]
            )
        }
    }
}
