// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// The table of ``RollbackGuard``, line by line.
final class VaultRollbackTests: VaultTestCase {
    private func state() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/state")
    }

    private func pathRecord() throws -> String {
        folder + "/state/" + (try XCTUnwrap(state().first { $0.hasPrefix("path-") }))
    }

    private func remove(_ paths: String...) { for path in paths { unlink(path) } }

    /// Creates a vault elsewhere, with another state folder, and puts it at the path.
    private func putAnotherVault() async throws {
        var elsewhere = try configuration()
        elsewhere.path = folder + "/elsewhere/vault"
        elsewhere.stateDirectory = folder + "/elsewhere/state"
        try await VaultStore(elsewhere).set(credential("mallory", "m"))
        try put(Array(Data(contentsOf: URL(fileURLWithPath: folder + "/elsewhere/vault"))))
    }

    func testFirstUseOfAMissingVaultIsNoAlarm() async throws {
        let error = await openingError(try store())
        XCTAssertNil(error)
        try await makeVault()
        XCTAssertEqual(try state().count, 2, "a mark of the vault and a record of the path")
    }

    func testFirstUseOfAnExistingVaultIsRemembered() async throws {
        try await makeVault()
        // A lost state folder, or a copied home folder.
        TemporaryFolder.remove(folder + "/state")
        let error = await openingError(try store())
        XCTAssertNil(error)
        XCTAssertEqual(try state().count, 2)
    }

    func testLostPathRecordIsWrittenAgain() async throws {
        try await makeVault()
        unlink(try pathRecord())
        let error = await openingError(try store())
        XCTAssertNil(error)
        XCTAssertEqual(try state().count, 2)
    }

    func testVaultThatAnotherMachineSavedIsAccepted() async throws {
        try await makeVault()
        var elsewhere = try configuration()
        elsewhere.stateDirectory = folder + "/other-state"
        try await VaultStore(elsewhere).set(credential("carol", "x"))
        let items = try await store().items(service: nil)
        XCTAssertEqual(items.count, 3)
    }

    /// Who holds the lock must not decide what is remembered.
    func testCopiesThatTakeTurnsUnderALockAreAnAlarm() async throws {
        try await makeVault()
        var elsewhere = try configuration()
        elsewhere.stateDirectory = folder + "/other-state"
        try await VaultStore(elsewhere).set(credential("carol", "x"))
        let older = try file()
        try await VaultStore(elsewhere).set(credential("dave", "x"))
        let newer = try file()
        let lock = open(path + ".lock", O_RDWR)
        defer { close(lock) }
        XCTAssertEqual(flock(lock, LOCK_EX), 0)
        for (copy, expected) in [
            (older, nil), (newer, nil), (older, KeychainError.rollbackDetected), (newer, nil),
        ] {
            try put(copy)
            let error = await openingError(try store())
            XCTAssertEqual(error, expected)
        }
    }

    func testCopiedMachineKeepsItsVault() async throws {
        try await makeVault()
        try FileManager.default.copyItem(atPath: folder + "/state", toPath: folder + "/copied-state")
        try await store().set(credential("carol", "x"))
        var copied = try configuration()
        copied.stateDirectory = folder + "/copied-state"
        let error = await openingError(try VaultStore(copied))
        XCTAssertNil(error)
    }

    func testMovedVaultIsKnownAtItsNewPath() async throws {
        try await makeVault()
        var moved = try configuration()
        moved.path = folder + "/moved"
        rename(path, folder + "/moved")
        let error = await openingError(try VaultStore(moved))
        XCTAssertNil(error)
        let old = await openingError(try store())
        XCTAssertEqual(old, .vaultMissing)
    }

    func testDeletedVaultIsAnAlarmUntilAccepted() async throws {
        try await makeVault()
        try await store().set(credential("carol", "x"))
        let running = try store()
        _ = try await running.items(service: nil)
        remove(path, path + ".bak")
        for store in [try store(), running] {
            let reading = await openingError(store)
            XCTAssertEqual(reading, .vaultMissing)
            XCTAssertTrue(reading?.message.contains("doctor --accept-current") ?? false, "\(reading as Any)")
            let credential = try credential("dave", "y")
            let setting = await failure { () throws(KeychainError) in try await store.set(credential) }
            XCTAssertEqual(setting, .vaultMissing)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        let status = try await store().status()
        XCTAssertEqual(status.alarm, .vaultMissing)
        let acceptance = try await store().accept()
        XCTAssertNil(acceptance.identifier)
        XCTAssertEqual(acceptance.previousIdentifier?.utf8.count, 32)
        try await makeVault()
        let items = try await store().items(service: nil)
        XCTAssertEqual(items.count, 2)
        let none = try await store().accept()
        XCTAssertFalse(none.isChanged)
    }

    func testAnotherVaultInItsPlaceIsAnAlarmUntilAccepted() async throws {
        try await makeVault()
        let own = try file()
        let running = try store()
        _ = try await running.items(service: nil)
        try await putAnotherVault()
        for store in [try store(), running] {
            let error = await openingError(store)
            XCTAssertEqual(error, .vaultReplaced)
            let credential = try credential("dave", "y")
            let setting = await failure { () throws(KeychainError) in try await store.set(credential) }
            XCTAssertEqual(setting, .vaultReplaced)
        }
        let status = try await store().status()
        XCTAssertEqual(status.alarm, .vaultReplaced)
        let acceptance = try await store().accept()
        XCTAssertEqual(acceptance.identifier, status.identifier)
        XCTAssertNotEqual(acceptance.identifier, acceptance.previousIdentifier)
        XCTAssertTrue(acceptance.description.contains(acceptance.identifier ?? "-"))
        let items = try await store().items(service: nil)
        XCTAssertEqual(items.compactMap(\.account), ["mallory"])
        try put(own)
        let back = await openingError(try store())
        XCTAssertEqual(back, .vaultReplaced, "the first vault is another one now")
    }

    /// An old export with the same passphrase, which this account has also used.
    func testKnownVaultFromAnotherPathIsAnAlarm() async throws {
        try await makeVault()
        var other = try configuration()
        other.path = folder + "/other"
        try await VaultStore(other).set(credential("mallory", "m"))
        try put(Array(Data(contentsOf: URL(fileURLWithPath: folder + "/other"))))
        let error = await openingError(try store())
        XCTAssertEqual(error, .vaultReplaced)
    }

    func testAcceptedOlderCopyMakesTheNewerOneTheOlder() async throws {
        try await makeVault()
        let older = try file()
        try await store().set(credential("carol", "x"))
        let newer = try file()
        try put(older)
        let error = await openingError(try store())
        XCTAssertEqual(error, .rollbackDetected)
        let acceptance = try await store().accept()
        XCTAssertEqual(acceptance.generation, 1)
        XCTAssertEqual(acceptance.newestGenerationSeen, 2)
        let accepted = await openingError(try store())
        XCTAssertNil(accepted)
        try put(newer)
        let back = await openingError(try store())
        XCTAssertEqual(back, .rollbackDetected)
    }

    func testSpellingsOfAPathAreOnePath() async throws {
        try await makeVault()
        remove(path)
        var spelled = try configuration()
        spelled.path = folder + "/.//vault"
        let error = await openingError(try VaultStore(spelled))
        XCTAssertEqual(error, .vaultMissing)
    }

    func testDamagedRecordIsTreatedAsMissing() async throws {
        try await makeVault()
        let record = try pathRecord()
        for bytes in [[], Array("CredKit vault path 1\n".utf8), [UInt8](repeating: 0x20, count: 100)] {
            try put(bytes, at: record)
            let error = await openingError(try store())
            XCTAssertNil(error)
        }
    }

    func testStateFolderThatOthersCanChangeIsRefused() async throws {
        try await makeVault()
        chmod(folder + "/state", 0o777)
        let error = await openingError(try store())
        XCTAssertEqual(error, .insecureFile)
        chmod(folder + "/state", 0o700)
        let none = await openingError(try store())
        XCTAssertNil(none)
    }

    func testRecordsThatCannotBeReadAreNoFirstUse() async throws {
        for prefix in ["path-", ""] {
            try await makeVault()
            let name = try XCTUnwrap(state().first { $0.hasPrefix("path-") == !prefix.isEmpty })
            let record = folder + "/state/" + name
            for replace in [
                { chmod(record, 0o666) }, { unlink(record) + symlink("/etc/passwd", record) },
                { unlink(record) + mkfifo(record, 0o600) },
            ] {
                _ = replace()
                let error = await openingError(try store())
                XCTAssertEqual(error, .insecureFile, name)
            }
            TemporaryFolder.remove(folder)
            mkdir(folder, 0o700)
        }
    }

    /// The file gets its name before the record is written, so a reader may come between.
    func testReaderDuringAnAcceptanceSeesNoFalseAlarm() async throws {
        for _ in 0..<20 {
            try await makeVault()
            remove(path, path + ".bak")
            try await store().accept()
            let (writer, reader, credential) = (try store(), try store(), try credential("alice", "x"))
            let writing = Task { try await writer.set(credential) }
            let reading = Task { try await reader.items(service: nil) }
            try await writing.value
            _ = try await reading.value
            remove(path, path + ".bak")
            try await store().accept()
        }
    }
}
