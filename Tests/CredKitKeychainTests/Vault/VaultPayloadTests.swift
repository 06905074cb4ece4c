// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import CredKitTesting
import XCTest

@testable import CredKitKeychain

final class VaultPayloadTests: XCTestCase {
    /// Compares batches with a store that keeps an unordered list.
    func testRandomBatchesMatchAnInMemoryStore() async throws {
        let model = InMemoryStore()
        var payload = try VaultPayload.empty()
        for round in 0..<150 {
            let changes = try (0..<Int.random(in: 1...20)).map { _ in try Self.randomChange() }
            var expected: KeychainError?
            do throws(KeychainError) {
                try await model.update(changes)
            } catch {
                expected = error
            }
            do throws(KeychainError) {
                payload = try payload.applying(changes, at: Date())
                XCTAssertNil(expected, "round \(round)")
            } catch {
                XCTAssertEqual(error, expected, "round \(round)")
            }
            try payload.verify()
            let items = await model.items(service: nil)
            XCTAssertEqual(Set(try payload.items(service: nil).map(\.key)), Set(items.map(\.key)))
            XCTAssertEqual(payload.count, items.count)
            for item in items {
                let secret = try await model.credential(for: item.key)?.secret
                XCTAssertEqual(try payload.credential(for: item.key)?.secret, secret)
            }
        }
        XCTAssertGreaterThan(payload.count, 5)
    }

    private static func randomChange() throws -> CredentialChange {
        let key = CredentialKey(
            service: ["a", "b", "ab", "\u{E9}"][Int.random(in: 0...3)],
            account: [nil, "", "x", "xy"][Int.random(in: 0...3)],
            attributes: [[:], ["k": "1"], ["k": "2", "l": ""]][Int.random(in: 0...2)]
        )
        if Int.random(in: 0...3) == 0 { return .delete(key) }
        return .set(Credential(item: CredentialItem(key: key), secret: try SecretBytes(randomByteCount: 8)))
    }

    func testTwentyThousandItemsAreStoredAtOnce() throws {
        let secret = try SecretBytes("x")
        let changes = (0..<20_000).map { number in
            let key = CredentialKey(service: "s\(number % 97)", account: "a\(number)")
            return CredentialChange.set(Credential(item: CredentialItem(key: key), secret: secret))
        }
        let payload = try VaultPayload.empty().applying(changes, at: Date())
        XCTAssertEqual(payload.count, 20_000)
        try payload.verify()
    }

    func testItemThatReplacesAnotherIsFoundByItsOwnKey() throws {
        let plain = CredentialKey(service: "a", account: nil)
        let marked = CredentialKey(service: "a", account: nil, attributes: ["xdg:schema": "x"])
        let more = CredentialKey(service: "a", account: nil, attributes: ["b": "c"])
        var payload = try VaultPayload.empty()
        for (key, secret) in [(plain, "1"), (more, "2"), (marked, "3"), (plain, "4")] {
            let credential = Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
            payload = try payload.applying([.set(credential)], at: Date())
            XCTAssertEqual(try payload.credential(for: key)?.secret, try SecretBytes(secret), "\(key)")
            XCTAssertNoThrow(try payload.verify())
        }
        XCTAssertEqual(payload.count, 2)
        XCTAssertEqual(try payload.credential(for: marked)?.secret, try SecretBytes("4"))
    }
}
