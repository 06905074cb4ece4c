// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import Foundation
import XCTest

@testable import CredKitKeychain

/// Several stores, processes and vaults in each other's way.
final class VaultConcurrencyTests: VaultTestCase {
    func testAnotherVaultsUnfinishedFilesAreNotRemoved() async throws {
        try await makeVault()
        // Of a vault beside this one that is called 'vault.work', whose lock is another.
        let unfinished = folder + "/.vault.work.0123456789abcdef.tmp"
        try put([1], at: unfinished)
        _ = try await store().items(service: nil)
        XCTAssertTrue(FileManager.default.fileExists(atPath: unfinished))
    }

    func testAnOlderCopyIsToldByAStoreThatHadItOpen() async throws {
        try await makeVault()
        let older = try file()
        let running = try store()
        _ = try await running.items(service: nil)
        try await store().set(credential("carol", "x"))
        try put(older)
        let error = await openingError(running)
        XCTAssertEqual(error, .olderCopy)
        let credential = try credential("dave", "x")
        let saving = await failure { () throws(KeychainError) in try await running.set(credential) }
        XCTAssertEqual(saving, .olderCopy)
        XCTAssertEqual(try file(), older)
    }

    func testWhatNobodyWaitsForAnyMoreIsNotDoneLater() async throws {
        try await makeVault()
        var configuration = try configuration()
        configuration.interaction.callDeadline = .seconds(2)
        let store = try VaultStore(configuration)
        _ = try await store.items(service: nil)
        // Keeps the store busy without noticing that it is to stop.
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
        // Whatever was left to be done comes before this.
        let stored = try await patiently { () throws(KeychainError) in
            try await store.credential(for: late.item.key)
        }
        XCTAssertNil(
            stored,
            "the caller was told that it took too long, and may have stored something else since"
        )
    }

    func testAKeyOfAnotherStoreIsAskedForAgainWhenTheVaultsKeyHasChanged() async throws {
        try await makeVault()
        let keeper = InMemoryStore()
        try await store().addSlot(.store(keeper), name: "kept")
        let running = try store([.store(keeper)])
        _ = try await running.items(service: nil)
        try await store([.store(keeper)]).rekey()
        let error = await openingError(running)
        XCTAssertNil(error)
    }

    func testASlotWhoseKeyAnotherStoreHasIsKeptWhenTheVaultIsOpenAlready() async throws {
        try await makeVault()
        let keeper = InMemoryStore()
        let both = try store([.passphrase(SecretBytes("correct horse")), .store(keeper)])
        _ = try await both.items(service: nil)
        try await store().addSlot(.store(keeper), name: "kept")
        _ = try await both.items(service: nil)
        let dropped = try await both.rekey()
        // The passphrase is at hand as well as the key.
        XCTAssertEqual(dropped, [])
    }

    func testRepairLeavesAVaultThatHasBecomeWholeMeanwhile() async throws {
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

    func testALockFileThatWasRemovedLocksNobodyIn() async throws {
        try await makeVault()
        let first = try store()
        let second = try store()
        for store in [first, second] { _ = try await store.items(service: nil) }
        // Somebody tidies up while the first is in the middle of a save.
        let carol = try credential("carol", "x")
        let (gate, begun) = (DispatchSemaphore(value: 0), Lock(false))
        let saving = Task {
            try await first.change(
                createsVault: false,
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
        XCTAssertTrue(accounts.contains("dave"), "it was acknowledged: \(accounts)")
        XCTAssertEqual(accounts.contains("carol"), isAcknowledged, "\(accounts)")
    }
}
