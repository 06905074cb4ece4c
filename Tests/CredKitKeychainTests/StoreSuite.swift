// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitKeychain

/// The behaviour that every store must have.
///
/// A store's tests are a subclass that creates the store and calls ``runSuite()`` in a test, because inherited tests
/// are not found on Linux.
class StoreSuite: XCTestCase {
    /// Whether the store saves the content type of an item.
    var keepsContentTypes: Bool { true }

    /// Creates an empty store.
    func makeStore() async throws -> any CredentialStore { throw XCTSkip("no store") }

    /// Whether the store cannot be unlocked without a prompt.
    var needsAPersonToUnlock: Bool { false }

    /// Unlocks a store without a prompt.
    func unlock(_ store: any CredentialStore) async throws { try await store.unlock() }

    /// Runs the entire suite. A part that throws fails under its name, and the others still run.
    func runSuite() async throws {
        let parts: [(name: String, run: () async throws -> Void)] = [
            ("anItemIsStoredReplacedAndDeleted", anItemIsStoredReplacedAndDeleted),
            (
                "itemsWithAndWithoutAccountCoexistInEitherOrder",
                itemsWithAndWithoutAccountCoexistInEitherOrder
            ),
            (
                "additionalAttributesMakeDistinctItemsAndSeveralAreAmbiguous",
                additionalAttributesMakeDistinctItemsAndSeveralAreAmbiguous
            ),
            ("labelsContentTypesAndTimesAreKept", labelsContentTypesAndTimesAreKept),
            ("secretsOfAnyBytesAndLengthRoundTrip", secretsOfAnyBytesAndLengthRoundTrip),
            ("namesOfAnyTextUpToTheLimitsAreKept", namesOfAnyTextUpToTheLimitsAreKept),
            ("invalidCredentialsAreRefused", invalidCredentialsAreRefused),
            ("itemsAreSortedAndSearchedByAttributes", itemsAreSortedAndSearchedByAttributes),
            ("aBatchChangesEverythingOrNothing", aBatchChangesEverythingOrNothing),
            ("lockedStoreRevealsNothingUntilUnlocked", lockedStoreRevealsNothingUntilUnlocked),
            ("manyTasksReadAndWriteAtOnce", manyTasksReadAndWriteAtOnce),
        ]
        for part in parts {
            do {
                try await part.run()
            } catch {
                XCTFail("\(part.name): \(error)")
            }
        }
    }

    func anItemIsStoredReplacedAndDeleted() async throws {
        let store = try await makeStore()
        let key = CredentialKey(service: "s", account: "a")
        try await assertSecret(nil, key, store)
        try await store.set(credential(key, "one"))
        try await assertSecret("one", key, store)
        try await store.set(credential(key, "two"))
        try await assertSecret("two", key, store)
        let items = try await store.items(service: "s")
        XCTAssertEqual(items.map(\.key.account), ["a"])
        let isDeleted = try await store.delete(key)
        XCTAssertTrue(isDeleted)
        let isDeletedAgain = try await store.delete(key)
        XCTAssertFalse(isDeletedAgain)
        try await assertSecret(nil, key, store)
    }

    func itemsWithAndWithoutAccountCoexistInEitherOrder() async throws {
        let bare = CredentialKey(service: "s", account: nil)
        let full = CredentialKey(service: "s", account: "a")
        let empty = CredentialKey(service: "s", account: "")
        for order in [[bare, full, empty], [full, empty, bare], [empty, bare, full]] {
            let store = try await makeStore()
            for key in order { try await store.set(credential(key, "\(key)")) }
            for key in order { try await assertSecret("\(key)", key, store) }
            for key in order { try await store.set(credential(key, "new \(key)")) }
            for key in order { try await assertSecret("new \(key)", key, store) }
            try await store.delete(bare)
            try await assertSecret(nil, bare, store)
            try await assertSecret("new \(full)", full, store)
            try await assertSecret("new \(empty)", empty, store)
        }
    }

    func additionalAttributesMakeDistinctItemsAndSeveralAreAmbiguous() async throws {
        let store = try await makeStore()
        let plain = CredentialKey(service: "s", account: "a")
        let x = CredentialKey(service: "s", account: "a", attributes: ["realm": "x"])
        let y = CredentialKey(service: "s", account: "a", attributes: ["realm": "y"])
        try await store.set(credential(x, "of x"))
        // It is the only item with this service and account.
        try await assertSecret("of x", plain, store)
        try await store.set(credential(y, "of y"))
        let error = await thrown { _ = try await store.credential(for: plain) }
        XCTAssertEqual(error, .ambiguous)
        XCTAssertEqual(error?.candidates.count, 2)
        XCTAssertTrue(
            error?.candidates.contains { $0.contains("realm=x") } ?? false,
            "\(String(describing: error))"
        )
        let deletion = await thrown { try await store.delete(plain) }
        XCTAssertEqual(deletion, .ambiguous)
        try await assertSecret("of x", x, store)
        // Once an item has exactly this key, the key selects it.
        try await store.set(credential(plain, "of plain"))
        try await assertSecret("of plain", plain, store)
        try await store.delete(plain)
        try await assertSecret("of x", x, store)
        try await assertSecret("of y", y, store)
    }

    func labelsContentTypesAndTimesAreKept() async throws {
        let store = try await makeStore()
        let key = CredentialKey(service: "s", account: "a")
        let begin = Date().addingTimeInterval(-2)
        let item = CredentialItem(key: key, label: "A label with ünicode", contentType: "application/json")
        try await store.set(Credential(item: item, secret: SecretBytes("{}")))
        let read = try await store.credential(for: key)
        let stored = try XCTUnwrap(read).item
        XCTAssertEqual(stored.label, "A label with ünicode")
        if keepsContentTypes { XCTAssertEqual(stored.contentType, "application/json") }
        let created = try XCTUnwrap(stored.created)
        let modified = try XCTUnwrap(stored.modified)
        XCTAssertTrue((begin...Date().addingTimeInterval(1)).contains(created), "\(created)")
        XCTAssertTrue((begin...Date().addingTimeInterval(1)).contains(modified), "\(modified)")
        try await store.set(
            Credential(item: CredentialItem(key: key, label: "Another"), secret: SecretBytes("x"))
        )
        let relabelled = try await store.items(service: nil)
        XCTAssertEqual(relabelled.map(\.label), ["Another"])
        XCTAssertEqual(relabelled.first?.created, created)
    }

    func secretsOfAnyBytesAndLengthRoundTrip() async throws {
        let store = try await makeStore()
        let key = CredentialKey(service: "s", account: "a")
        var million = [UInt8](repeating: 0, count: 1 << 20)
        for index in million.indices { million[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 8) }
        let secrets: [[UInt8]] = [
            [], [0], Array("ünï¢ødé 🔑 \u{301}".utf8), Array("two\nlines\n".utf8), Array("  \\s\t".utf8),
            [0xFF, 0, 0xFE],
            Array(0...255), million,
        ]
        for secret in secrets {
            let credential = Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
            try await store.set(credential)
            let read = try await store.credential(for: key)
            XCTAssertEqual(read?.secret, credential.secret, "\(secret.prefix(20))")
        }
        let tooLong = Credential(item: CredentialItem(key: key), secret: try SecretBytes(million + [0]))
        let error = await thrown { try await store.set(tooLong) }
        XCTAssertEqual(error, .overLimit)
        try await assertSecret(nil, CredentialKey(service: "other", account: nil), store)
        let kept = try await store.credential(for: key)
        XCTAssertEqual(kept?.secret.count, 1 << 20)
    }

    func namesOfAnyTextUpToTheLimitsAreKept() async throws {
        let store = try await makeStore()
        let long = String(repeating: "n", count: 4096)
        let names = ["ünï 🔑", "with space", "a=b;c\\d\"'", "line\nfeed", "<&>%s%n", "/path/../x", long]
        for name in names {
            let key = CredentialKey(service: name, account: name, attributes: ["x-" + name.prefix(64): name])
            try await store.set(
                Credential(item: CredentialItem(key: key, label: name), secret: SecretBytes(name))
            )
        }
        let items = try await store.items(service: nil)
        XCTAssertEqual(Set(items.map(\.service)), Set(names))
        for name in names {
            let found = try await store.credential(for: CredentialKey(service: name, account: name))
            XCTAssertEqual(found?.secret, try SecretBytes(name), name.prefix(20).description)
            XCTAssertEqual(found?.item.label, name)
            XCTAssertEqual(found?.item.key.attributes["x-" + name.prefix(64)], name)
        }
    }

    func invalidCredentialsAreRefused() async throws {
        let store = try await makeStore()
        let long = String(repeating: "n", count: 4097)
        let many = Dictionary(uniqueKeysWithValues: (0...64).map { ("x\($0)", "") })
        let keys: [(CredentialKey, KeychainError)] = [
            (CredentialKey(service: "", account: "a"), .invalid),
            (CredentialKey(service: "s\0", account: nil), .invalid),
            (CredentialKey(service: "s", account: "\0"), .invalid),
            (CredentialKey(service: "s", account: nil, attributes: ["": "x"]), .invalid),
            (CredentialKey(service: "s", account: nil, attributes: ["username": "x"]), .invalid),
            (CredentialKey(service: long, account: nil), .overLimit),
            (CredentialKey(service: "s", account: long), .overLimit),
            (CredentialKey(service: "s", account: nil, attributes: [long: "x"]), .overLimit),
            (CredentialKey(service: "s", account: nil, attributes: many), .overLimit),
        ]
        for (key, expected) in keys {
            let refused = try credential(key, "x")
            let error = await thrown { try await store.set(refused) }
            XCTAssertEqual(error, expected, "\("\(key)".prefix(60))")
            let batch = await thrown { try await store.update([.set(refused)]) }
            XCTAssertEqual(batch, expected, "\("\(key)".prefix(60))")
        }
        let items = try await store.items(service: nil)
        XCTAssertEqual(items, [])
        let nothing = try await store.credential(for: CredentialKey(service: "s\0t", account: nil))
        XCTAssertNil(nothing)
    }

    func itemsAreSortedAndSearchedByAttributes() async throws {
        let store = try await makeStore()
        for (service, account) in [("t", "b"), ("s", "c"), ("s", nil), ("t", "a"), ("s", "")]
            as [(String, String?)]
        {
            let key = CredentialKey(
                service: service,
                account: account,
                attributes: ["kind": service + "-kind"]
            )
            try await store.set(credential(key, "x"))
        }
        let all = try await store.items(service: nil)
        XCTAssertEqual(
            all.map { $0.service + "/" + ($0.account ?? "-") },
            ["s/-", "s/", "s/c", "t/a", "t/b"]
        )
        let some = try await store.items(service: "t")
        XCTAssertEqual(some.map(\.account), ["a", "b"])
        let none = try await store.items(service: "u")
        XCTAssertEqual(none, [])
        let kind = try await store.search(["kind": "s-kind"])
        XCTAssertEqual(kind.count, 3)
        let both = try await store.search(["service": "s", "username": "c", "kind": "s-kind"])
        XCTAssertEqual(both.map(\.account), ["c"])
        let wrong = try await store.search(["service": "s", "kind": "t-kind"])
        XCTAssertEqual(wrong, [])
        let everything = try await store.search([:])
        XCTAssertEqual(everything.count, 5)
    }

    func aBatchChangesEverythingOrNothing() async throws {
        let store = try await makeStore()
        let (a, b, c) = (key("a"), key("b"), key("c"))
        try await store.update([.set(credential(a, "1")), .set(credential(b, "2")), .delete(c)])
        try await store.update([.set(credential(a, "3")), .delete(b), .set(credential(c, "4"))])
        try await assertSecret("3", a, store)
        try await assertSecret(nil, b, store)
        try await assertSecret("4", c, store)
        // Two items between which a third change cannot choose, so that it fails after the changes before it were made.
        for realm in ["x", "y"] {
            let key = CredentialKey(service: "two", account: nil, attributes: ["realm": realm])
            try await store.set(credential(key, realm))
        }
        let changes: [CredentialChange] = [
            .set(try credential(a, "5")), .set(try credential(b, "6")), .delete(c),
            .delete(CredentialKey(service: "two", account: nil)),
        ]
        let error = await thrown { try await store.update(changes) }
        XCTAssertEqual(error, .ambiguous)
        try await assertSecret("3", a, store)
        try await assertSecret(nil, b, store)
        try await assertSecret("4", c, store)
        let items = try await store.items(service: nil)
        XCTAssertEqual(items.count, 4)
    }

    func lockedStoreRevealsNothingUntilUnlocked() async throws {
        let store = try await makeStore()
        guard store.capabilities.contains(.locking) else { return }
        try await store.set(credential(key("a"), "x"))
        try await store.lock()
        let refused = try credential(key("b"), "x")
        for call: @Sendable () async throws -> Void in [
            { _ = try await store.credential(for: CredentialKey(service: "s", account: "a")) },
            { _ = try await store.credential(for: CredentialKey(service: "unknown", account: nil)) },
            { _ = try await store.items(service: nil) },
            { try await store.set(refused) },
            { try await store.delete(CredentialKey(service: "s", account: "a")) },
        ] {
            let error = await thrown(call)
            XCTAssertEqual(error, .locked)
        }
        if needsAPersonToUnlock {
            let error = await thrown { try await store.unlock() }
            XCTAssertEqual(error, .locked)
        }
        try await unlock(store)
        try await assertSecret("x", key("a"), store)
        try await assertSecret(nil, key("b"), store)
    }

    func manyTasksReadAndWriteAtOnce() async throws {
        let store = try await makeStore()
        let shared = key("shared")
        try await store.set(credential(shared, "begin"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let own = CredentialKey(service: "s", account: "task \(task)")
                    for round in 0..<5 {
                        let secret = try SecretBytes("\(task) \(round)")
                        try await store.set(Credential(item: CredentialItem(key: own), secret: secret))
                        try await store.set(Credential(item: CredentialItem(key: shared), secret: secret))
                        let read = try await store.credential(for: own)
                        XCTAssertEqual(read?.secret, secret)
                        let common = try await store.credential(for: shared)
                        XCTAssertNotNil(common)
                    }
                }
            }
            try await group.waitForAll()
        }
        let items = try await store.items(service: "s")
        XCTAssertEqual(items.count, 9)
    }
}

extension StoreSuite {
    func key(_ account: String) -> CredentialKey { CredentialKey(service: "s", account: account) }

    func credential(_ key: CredentialKey, _ secret: String) throws -> Credential {
        Credential(item: CredentialItem(key: key), secret: try SecretBytes(secret))
    }

    func assertSecret(
        _ secret: String?,
        _ key: CredentialKey,
        _ store: any CredentialStore,
        file: StaticString = #filePath,
        line: UInt = #line
    ) async throws {
        let read = try await store.credential(for: key)?.secret
        // Failure messages of tests may show their secrets.
        let text = read?.withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        XCTAssertEqual(text, secret, "\(key)", file: file, line: line)
    }
}

extension XCTestCase {
    /// Returns the error that a call throws; `nil` if it throws none.
    func thrown(_ call: @Sendable () async throws -> Void) async -> KeychainError? {
        do {
            try await call()
            return nil
        } catch {
            XCTAssertTrue(error is KeychainError, "\(error)")
            return error as? KeychainError
        }
    }
}
