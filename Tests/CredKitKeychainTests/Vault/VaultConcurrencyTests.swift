// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import Foundation
import CredKitTesting
import XCTest

@testable import CredKitKeychain

/// Several stores, processes and vaults that interfere with each other.
final class VaultConcurrencyTests: VaultTestCase {
    func testTemporaryFilesOfAnotherVaultAreNotRemoved() async throws {
        try await makeVault()
        // The file belongs to a neighbouring vault named 'vault.work', which has another lock.
        let unfinished = folder + "/.vault.work.0123456789abcdef.tmp"
        try put([1], at: unfinished)
        _ = try await store().items(service: nil)
        XCTAssertTrue(FileManager.default.fileExists(atPath: unfinished))
    }

    func testOpenStoreDetectsAnOlderCopy() async throws {
        try await makeVault()
        let older = try file()
        let running = try store()
        _ = try await running.items(service: nil)
        try await store().set(credential("carol", "x"))
        try put(older)
        let error = await openingError(running)
        XCTAssertEqual(error, .rollbackDetected)
        let credential = try credential("dave", "x")
        let saving = await failure { () throws(KeychainError) in try await running.set(credential) }
        XCTAssertEqual(saving, .rollbackDetected)
        XCTAssertEqual(try file(), older)
    }

    func testTimedOutChangeIsNotAppliedLater() async throws {
        try await makeVault()
        var configuration = try configuration()
        configuration.promptPolicy.timeout = .seconds(2)
        let store = try VaultStore(configuration)
        _ = try await store.items(service: nil)
        // Keeps the store busy, ignoring the cancellation.
        let (gate, begun) = (DispatchSemaphore(value: 0), Lock(false))
        let busy = Task {
            try? await store.perform { (_, _) throws(KeychainError) in
                begun.withLock { $0 = true }
                gate.wait()
            }
        }
        while !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        busy.cancel()
        _ = await busy.value
        let late = try credential("late", "first")
        let error = await failure { () throws(KeychainError) in try await store.set(late) }
        XCTAssertEqual(error, .timedOut)
        gate.signal()
        // Any remaining work runs before this call.
        let stored = try await patiently { () throws(KeychainError) in
            try await store.credential(for: late.item.key)
        }
        XCTAssertNil(
            stored,
            "the call timed out, so its change must not be stored later"
        )
    }

    func testKeyFromAnotherStoreIsReadAgainAfterRekeying() async throws {
        try await makeVault()
        let keeper = InMemoryStore()
        try await store().addSlot(.store(keeper), name: "kept")
        let running = try store([.store(keeper)])
        _ = try await running.items(service: nil)
        try await store([.store(keeper)]).rekey()
        let error = await openingError(running)
        XCTAssertNil(error)
    }

    func testRekeyingAnOpenVaultKeepsSlotsOfAnotherStore() async throws {
        try await makeVault()
        let keeper = InMemoryStore()
        let both = try store([.passphrase(SecretBytes("correct horse")), .store(keeper)])
        _ = try await both.items(service: nil)
        try await store().addSlot(.store(keeper), name: "kept")
        _ = try await both.items(service: nil)
        let dropped = try await both.rekey()
        // The passphrase is available as well as the key.
        XCTAssertEqual(dropped, [])
    }

    /// Stores an item in the vault, which is changed after it was read and before it is unlocked. The store has no mark
    /// of it that would tell.
    private func setWhileUnlocking(_ item: Credential, _ change: () async throws -> Void) async throws {
        let (begun, end) = (folder + "/begun", folder + "/end")
        var configuration = try configuration([
            .passphraseCommand(
                "touch '\(begun)'; until test -e '\(end)'; do sleep 0.01; done; echo correct horse"
            )
        ])
        configuration.stateDirectory = folder + "/other state"
        let store = try VaultStore(configuration)
        let saving = Task { try await store.set(item) }
        while !FileManager.default.fileExists(atPath: begun) { try await Task.sleep(for: .milliseconds(1)) }
        try await change()
        try put([], at: end)
        try await saving.value
    }

    func testSaveWhileAnotherStoreUnlocksIsNotLost() async throws {
        try await makeVault()
        try await setWhileUnlocking(credential("dave", "y")) {
            try await store().set(credential("carol", "x"))
        }
        let accounts = try await store().items(service: nil).compactMap(\.account)
        XCTAssertEqual(accounts, ["alice", "bob", "carol", "dave"])
    }

    func testFileDamagedWhileAStoreUnlocksDoesNotBecomeTheBackup() async throws {
        try await makeVault()
        var damaged = try file()
        damaged[damaged.count - 1] ^= 1
        try await setWhileUnlocking(credential("carol", "x")) { try put(damaged) }
        let saved = try file()
        XCTAssertEqual(Array(try Data(contentsOf: URL(fileURLWithPath: path + ".bak"))), saved)
    }

    func testRepairLeavesAVaultThatWasRestoredMeanwhile() async throws {
        try await makeVault()
        try await store().set(credential("carol", "x"))
        let whole = try file()
        var damaged = whole
        damaged[damaged.count - 1] ^= 1
        try put(damaged)
        let lock = open(path + ".lock", O_RDWR | O_CREAT, 0o600)
        XCTAssertEqual(flock(lock, LOCK_EX), 0)
        let store = try store()
        let repair = Task { try await store.repair() }
        try await Task.sleep(for: .milliseconds(200))
        try put(whole)
        close(lock)
        let done = try await repair.value
        XCTAssertNil(done)
        XCTAssertEqual(try file(), whole)
    }

    func testRemovedLockFileLosesNoAcknowledgedSave() async throws {
        try await makeVault()
        let first = try store()
        let second = try store()
        for store in [first, second] { _ = try await store.items(service: nil) }
        // The lock file is removed while the first store is in the middle of a save.
        let carol = try credential("carol", "x")
        let (gate, begun) = (DispatchSemaphore(value: 0), Lock(false))
        let saving = Task {
            try await first.change(
                { (vault, _) throws(KeychainError) in
                    begun.withLock { $0 = true }
                    gate.wait()
                    vault.payload = try vault.payload.applying([.set(carol)], at: Date())
                },
                savesIf: { _ in true }
            )
        }
        while !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        unlink(path + ".lock")
        try await second.set(credential("dave", "y"))
        gate.signal()
        let isAcknowledged = (try? await saving.value) != nil
        let accounts = try await store().items(service: nil).compactMap(\.account)
        XCTAssertTrue(accounts.contains("dave"), "the save was acknowledged: \(accounts)")
        XCTAssertEqual(accounts.contains("carol"), isAcknowledged, "\(accounts)")
    }
}
