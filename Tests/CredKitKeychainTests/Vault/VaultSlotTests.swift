// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import CredKitTesting
import XCTest

@testable import CredKitKeychain

final class VaultSlotTests: VaultTestCase {
    func testEachSlotUnlocksTheVault() async throws {
        try await makeVault()
        let store = try store()
        let key = try SecretBytes(randomByteCount: 32)
        try await store.addSlot(.passphrase(SecretBytes("second")), name: "of Bob")
        try await store.addSlot(.key(key), name: "of the server")
        let memory = InMemoryStore()
        try await store.addSlot(.store(memory), name: "of the desktop")
        for sources: [VaultKeySource] in [
            try [.passphrase(SecretBytes("correct horse"))], try [.passphrase(SecretBytes("second"))],
            [.key(key)],
            [.store(memory)],
        ] {
            let items = try await self.store(sources).items(service: nil)
            XCTAssertEqual(items.count, 2)
        }
        let slots = try await store.slots()
        XCTAssertEqual(slots.map(\.name), ["passphrase", "of Bob", "of the server", "of the desktop"])
        for sources: [VaultKeySource] in [
            try [.passphrase(SecretBytes("third"))], try [.key(SecretBytes(randomByteCount: 32))],
        ] {
            let error = await openingError(try self.store(sources))
            XCTAssertEqual(error, .wrongPassphrase)
        }
    }

    /// An import could have put it there, whose author would read the vault.
    func testKeyThatOpensNoSlotIsNotUsed() async throws {
        try await makeVault()
        let store = try store()
        let memory = InMemoryStore()
        try await store.addSlot(.store(memory), name: "of the desktop")
        let stored = await memory.items(service: nil)
        let item = try XCTUnwrap(stored.first)
        // The key of its own slot may be used for a second one.
        try await store.addSlot(.store(memory), name: "again")
        let planted = try SecretBytes(String(repeating: "ab", count: 32))
        try await memory.set(Credential(item: item, secret: planted))
        try await store.addSlot(.store(memory), name: "with a new key")
        let opened = await openingError(try self.store([.key(planted)]))
        XCTAssertEqual(opened, .wrongPassphrase)
        let items = try await self.store([.store(memory)]).items(service: nil)
        XCTAssertEqual(items.count, 2)
        // That is so after each removal, too.
        for slot in try await store.slots() where slot.name != "passphrase" {
            try await store.removeSlot(slot.identifier)
        }
        try await store.addSlot(.store(memory), name: "once more")
        let again = try await self.store([.store(memory)]).items(service: nil)
        XCTAssertEqual(again.count, 2)
    }

    func testSlotInAStoreThatFailsIsNotAdded() async throws {
        struct DatabaseError: Error {}
        try await makeVault()
        let store = try store()
        let error = await failure { () throws(KeychainError) in
            try await store.addSlot(.store(BrokenStore(error: DatabaseError())), name: "broken")
        }
        XCTAssertEqual(error, .failed)
        XCTAssertTrue(error?.underlying is DatabaseError)
        let slots = try await store.slots()
        XCTAssertEqual(slots.count, 1)
        // The other sources are still tried.
        let sources: [VaultKeySource] = try [
            .store(BrokenStore(error: DatabaseError())), .passphrase(SecretBytes("correct horse")),
        ]
        let items = try await self.store(sources).items(service: nil)
        XCTAssertEqual(items.count, 2)
    }

    func testChangingThePassphraseRotatesTheKeyAndReplacesTheBackup() async throws {
        try await makeVault()
        try await store().addSlot(.key(SecretBytes(randomByteCount: 32)), name: "not at hand")
        let store = try store()
        let check = Array(try file()[40..<72])
        let dropped = try await store.changePassphrase(to: SecretBytes("new one"))
        XCTAssertEqual(dropped.map(\.name), ["not at hand"])
        XCTAssertNotEqual(Array(try file()[40..<72]), check)
        let old = await openingError(try self.store())
        XCTAssertEqual(old, .wrongPassphrase)
        let items = try await self.store(passphrase: "new one").items(service: nil)
        XCTAssertEqual(items.count, 2)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path + ".bak")), Data(try file()))
        // The store that changed it continues to work, and can change it again.
        try await store.set(credential("carol", "x"))
        let droppedAgain = try await store.changePassphrase(to: SecretBytes("newer one"))
        XCTAssertEqual(droppedAgain, [])
        let newer = try await self.store(passphrase: "newer one").items(service: nil)
        XCTAssertEqual(newer.count, 3)
    }

    func testAnotherProcessDetectsAChangedKey() async throws {
        try await makeVault()
        let other = try store()
        _ = try await other.items(service: nil)
        try await store().changePassphrase(to: SecretBytes("new one"))
        let error = await openingError(other)
        XCTAssertEqual(error, .wrongPassphrase)
    }

    func testRewrappingKeepsTheKeyAndAllSlots() async throws {
        try await makeVault()
        let store = try store()
        let key = try SecretBytes(randomByteCount: 32)
        try await store.addSlot(.key(key), name: "kept")
        let check = Array(try file()[40..<72])
        try await store.changePassphrase(to: SecretBytes("new one"), rotatingKey: false)
        XCTAssertEqual(Array(try file()[40..<72]), check)
        for sources: [VaultKeySource] in [try [.passphrase(SecretBytes("new one"))], [.key(key)]] {
            let items = try await self.store(sources).items(service: nil)
            XCTAssertEqual(items.count, 2)
        }
        let old = await openingError(try self.store())
        XCTAssertEqual(old, .wrongPassphrase)
    }

    func testRemovedSlotCannotUnlockLaterSaves() async throws {
        try await makeVault()
        let store = try store()
        let key = try SecretBytes(randomByteCount: 32)
        let slot = try await store.addSlot(.key(key), name: "to go")
        let dropped = try await store.removeSlot(slot.identifier)
        XCTAssertEqual(dropped, [])
        let error = await openingError(try self.store([.key(key)]))
        XCTAssertNotNil(error)
        let slots = try await store.slots()
        let last = await failure { () throws(KeychainError) in try await store.removeSlot(slots[0].identifier)
        }
        XCTAssertEqual(last, .invalid, "the last slot must not be removed")
        let unknown = await failure { () throws(KeychainError) in try await store.removeSlot("00") }
        XCTAssertEqual(unknown, .notFound)
    }

    func testFirstSourceWithAPassphraseIsUsed() async throws {
        try await makeVault()
        let wrong = try SecretBytes("wrong")
        let right = try SecretBytes("correct horse")
        let error = await openingError(try store([.passphrase(wrong), .passphrase(right)]))
        XCTAssertEqual(error, .wrongPassphrase)
        let items = try await store([
            .passphraseEnvironmentVariable("CREDKIT_NO_SUCH_VARIABLE"),
            .passphraseCommand("echo correct horse"),
            .passphrase(wrong),
        ]).items(service: nil)
        XCTAssertEqual(items.count, 2)
    }

    func testErrorListsSourcesWithoutAKey() async throws {
        try await makeVault()
        let error = await openingError(try store(VaultKeySource.standard))
        XCTAssertEqual(error, .noPassphrase)
        XCTAssertEqual(error?.detail, .noSource)
        for word in ["CREDKIT_PASSPHRASE", "credkit.passphrase", "credkit.key", "terminal"] {
            XCTAssertTrue(error?.description.contains(word) ?? false, word)
        }
    }

    func testPassphrasesFromEachKindOfSource() async throws {
        try await makeVault()
        let file = folder + "/passphrase"
        try put(Array("correct horse\n".utf8), at: file)
        try put(Array("correct horse".utf8), at: folder + "/my.credential")
        setenv("CREDKIT_TEST_PASSPHRASE", "correct horse", 1)
        setenv("CREDENTIALS_DIRECTORY", folder, 1)
        defer {
            unsetenv("CREDKIT_TEST_PASSPHRASE")
            unsetenv("CREDENTIALS_DIRECTORY")
        }
        let descriptor = open(file, O_RDONLY)
        defer { close(descriptor) }
        for source: VaultKeySource in [
            .passphraseFile(file), .passphraseFileDescriptor(descriptor), .passphraseCommand("cat '\(file)'"),
            .passphraseEnvironmentVariable("CREDKIT_TEST_PASSPHRASE"),
            .passphraseSystemdCredential("my.credential"),
        ] {
            let items = try await store([source]).items(service: nil)
            XCTAssertEqual(items.count, 2, source.nameForPeople)
        }
    }

    func testFailingSourcesAreReported() async throws {
        try await makeVault()
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(pipe(&ends), 0)
        defer { for end in ends { close(end) } }
        try put([1, 2, 3], at: folder + "/short")
        for (source, expected): (VaultKeySource, KeychainError) in [
            (.passphraseFile(folder + "/none"), .noPassphrase), (.passphraseCommand("exit 3"), .noPassphrase),
            (.passphraseCommand("true"), .noPassphrase), (.keyFile(folder + "/short"), .invalid),
            // Higher than any that another test has open.
            (.passphraseFileDescriptor(.max), .inputOutput),
        ] {
            let error = await openingError(try store([source]))
            XCTAssertEqual(error, expected, source.nameForPeople)
            XCTAssertNil(error?.detail, source.nameForPeople)
        }
        var configuration = try configuration([.passphraseFileDescriptor(ends[0])])
        configuration.promptPolicy.timeout = .milliseconds(500)
        configuration.promptPolicy.promptTimeout = .milliseconds(200)
        for source: VaultKeySource in [
            .passphraseFileDescriptor(ends[0]), .passphraseCommand("sleep 100 & sleep 100"),
        ] {
            configuration.keySources = [source]
            let store = try VaultStore(configuration)
            let start = ContinuousClock.now
            let error = await openingError(store)
            XCTAssertEqual(error, .timedOut, source.nameForPeople)
            XCTAssertLessThan(ContinuousClock.now - start, .seconds(60))
        }
    }

    func testDeletionFromALockedVaultThrows() async throws {
        try await makeVault()
        let store = try store([.passphraseFile(folder + "/none")])
        let key = CredentialKey(service: "mail", account: "alice")
        let error = await failure { () throws(KeychainError) in try await store.delete(key) }
        XCTAssertEqual(error, .noPassphrase, "a locked vault must not report that the item is missing")
    }

    func testKernelKeyringCachesTheKeyForATime() async throws {
        try await makeVault()
        let store = try store()
        do throws(KeychainError) {
            try await store.cacheKey(for: .seconds(60))
        } catch {
            guard error == .denied || error == .inputOutput else { throw error }
            throw XCTSkip("the kernel's keyring is not available here: \(error)")
        }
        var configuration = try configuration([])
        let without = await openingError(try VaultStore(configuration))
        XCTAssertEqual(without, .noPassphrase)
        configuration.usesCachedKey = true
        let items = try await VaultStore(configuration).items(service: nil)
        XCTAssertEqual(items.count, 2)
        let status = try await store.status()
        XCTAssertTrue(status.isKeyCached)
        try await store.forgetCachedKey()
        let forgotten = await openingError(try VaultStore(configuration))
        XCTAssertEqual(forgotten, .noPassphrase)
    }

    func testLockingRemovesTheKeyOfAnUnreadableVault() async throws {
        try await makeVault()
        let whole = try file()
        var configuration = try configuration([])
        configuration.usesCachedKey = true
        let damages: [(String, () throws -> Void)] = [
            ("missing", { [path] in unlink(path) }),
            ("empty", { [self] in try put([]) }),
            ("another vault", { [self] in try put(VaultArchive.encrypt([], passphrase: SecretBytes("x"))) }),
        ]
        for (name, damage) in damages {
            let store = try store()
            do throws(KeychainError) {
                try await store.cacheKey(for: .seconds(60))
            } catch {
                throw XCTSkip("the kernel's keyring is not available here: \(error)")
            }
            try damage()
            try await self.store().forgetCachedKey()
            try put(whole)
            let error = await openingError(try VaultStore(configuration))
            XCTAssertEqual(error, .noPassphrase, name)
        }
    }
}
