// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitTesting
import Foundation
import XCTest

@testable import CredKitKeychain

/// Repairs from whichever of the two copies is whole.
final class VaultRepairTests: VaultTestCase {
    private var backup: String { path + ".bak" }

    /// Creates a vault of generation 2: alice and bob in the backup, also carol in the vault.
    private func makeTwoGenerations() async throws {
        try await makeVault()
        try await store().set(credential("carol", "x"))
    }

    private func accounts() async throws -> [String] {
        try await store().items(service: nil).compactMap(\.account)
    }

    private func repairError() async throws -> KeychainError? {
        let store = try store()
        return await failure { () throws(KeychainError) in _ = try await store.repair() }
    }

    private func bytes(at path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func damagedFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".damaged-") }
    }

    func testVaultIsRestoredWhateverHappenedToIt() async throws {
        let damages: [(String, ([UInt8]) -> [UInt8]?)] = [
            ("missing", { _ in nil }),
            ("empty", { _ in [] }),
            ("another file", { _ in Array("something else".utf8) }),
            ("cut in the header", { Array($0.prefix(60)) }),
            ("cut in the items", { Array($0.dropLast()) }),
            ("longer", { $0 + [0] }),
            ("flipped in the magic", { [$0[0] ^ 1] + $0.dropFirst() }),
            ("flipped in a slot", { $0[..<140] + [$0[140] ^ 1] + $0[141...] }),
            ("flipped in the items", { $0.dropLast() + [$0[$0.count - 1] ^ 1] }),
        ]
        for (name, damage) in damages {
            try await makeTwoGenerations()
            let damaged = damage(try file())
            unlink(path)
            if let damaged { try put(damaged) }
            let error = await openingError(try store())
            XCTAssertEqual(error, .damaged, name)
            let repair = try await store().repair()
            XCTAssertEqual(repair?.action, .restoredBackup, name)
            XCTAssertEqual(repair?.generation, 1, name)
            XCTAssertEqual(repair?.newestGeneration, 2, name)
            XCTAssertEqual(repair?.itemCount, 2, name)
            XCTAssertTrue(
                repair?.description.contains("generation 2, is lost") ?? false,
                "\(name): \(repair as Any)"
            )
            let restored = try await accounts()
            XCTAssertEqual(restored, ["alice", "bob"], name)
            if let damaged {
                let kept = try XCTUnwrap(repair?.keptFile, name)
                XCTAssertEqual(try bytes(at: kept), damaged, name)
            } else {
                XCTAssertNil(repair?.keptFile, name)
            }
            // The restored vault can be damaged again, and nothing more is lost.
            try put(try file().dropLast())
            let again = try await store().repair()
            XCTAssertEqual(again?.itemCount, 2, name)
            try await store().set(credential("dave", "y"))
            TemporaryFolder.remove(folder)
            mkdir(folder, 0o700)
        }
    }

    func testDamagedBackupIsReplacedByACopyOfTheVault() async throws {
        try await makeTwoGenerations()
        unlink(backup)
        let missing = try await store().repair()
        XCTAssertEqual(missing?.action, .replacedBackup)
        XCTAssertNil(missing?.keptFile)
        XCTAssertEqual(try bytes(at: backup), try file())
        TemporaryFolder.remove(folder)
        mkdir(folder, 0o700)
        for damage in [[], Array("something else".utf8), nil] as [[UInt8]?] {
            try await makeTwoGenerations()
            let whole = try file()
            let damaged = try damage ?? bytes(at: backup).dropLast()
            try put(damaged, at: backup)
            let repair = try await store().repair()
            XCTAssertEqual(repair?.action, .replacedBackup)
            XCTAssertEqual(try bytes(at: backup), whole)
            XCTAssertEqual(try file(), whole)
            XCTAssertEqual(try bytes(at: XCTUnwrap(repair?.keptFile)), damaged)
            let none = try await store().repair()
            XCTAssertNil(none)
            TemporaryFolder.remove(folder)
            mkdir(folder, 0o700)
        }
    }

    func testNothingIsChangedIfBothCopiesAreDamaged() async throws {
        try await makeTwoGenerations()
        try put([1], at: backup)
        try put([2])
        let error = try await repairError()
        XCTAssertEqual(error, .damaged)
        XCTAssertTrue(error?.message.contains("damaged, too") ?? false, "\(error as Any)")
        XCTAssertEqual(try bytes(at: backup), [1])
        XCTAssertEqual(try file(), [2])
        unlink(backup)
        let alone = try await repairError()
        XCTAssertEqual(alone, .damaged)
        XCTAssertTrue(alone?.message.contains("there is no backup") ?? false, "\(alone as Any)")
        XCTAssertEqual(try damagedFiles(), [])
    }

    func testOlderBackupNeedsAcceptance() async throws {
        try await makeTwoGenerations()
        let old = try bytes(at: backup)
        try await store().set(credential("dave", "y"))
        // An attacker with access to the vault's folder puts an old copy in the place of the backup, and damages the vault.
        try put(old, at: backup)
        try put(try file().dropLast())
        let before = try file()
        let error = try await repairError()
        XCTAssertEqual(error, .rollbackDetected)
        XCTAssertTrue(error?.message.contains("--accept-older-copy") ?? false, "\(error as Any)")
        XCTAssertEqual(try file(), before)
        XCTAssertEqual(try damagedFiles(), [])
        var accepting = try configuration()
        accepting.acceptsRollback = true
        let repair = try await VaultStore(accepting).repair()
        XCTAssertEqual(repair?.generation, 1)
        XCTAssertTrue(
            repair?.description.contains("up to generation 3, is lost") ?? false,
            "\(repair as Any)"
        )
        let restored = try await accounts()
        XCTAssertEqual(restored, ["alice", "bob"])
    }

    func testBackupOfAnotherVaultNeedsAcceptance() async throws {
        try await makeTwoGenerations()
        let own = (try file(), try bytes(at: backup))
        var elsewhere = try configuration()
        elsewhere.path = folder + "/other"
        try await VaultStore(elsewhere).set(credential("mallory", "m"))
        try put(try bytes(at: folder + "/other"), at: backup)
        try put([])
        let error = try await repairError()
        XCTAssertEqual(error, .vaultReplaced)
        try put(own.0)
        try put(own.1, at: backup)
        let none = try await store().repair()
        XCTAssertNil(none)
    }

    /// Otherwise damage of the disk, or a program that writes in place, would hit both.
    func testBackupNeverSharesTheFileOfTheVault() async throws {
        try await makeTwoGenerations()
        func check(_ step: String, line: UInt = #line) throws {
            var (vault, copy) = (stat(), stat())
            XCTAssertEqual(stat(path, &vault) + stat(backup, &copy), 0, step, line: line)
            XCTAssertNotEqual(vault.st_ino, copy.st_ino, step, line: line)
        }
        try check("a save")
        try await store().rekey()
        try check("a new key")
        try put([], at: backup)
        _ = try await store().repair()
        try check("a repaired backup")
        try put([])
        _ = try await store().repair()
        try check("a restored vault")
    }

    /// The vault with another last byte, whatever it was.
    private func damagedFile() throws -> [UInt8] {
        var bytes = try file()
        bytes[bytes.count - 1] ^= 1
        return bytes
    }

    func testFileDamagedUnderAnOpenStoreDoesNotBecomeTheBackup() async throws {
        try await makeTwoGenerations()
        let running = try store()
        _ = try await running.items(service: nil)
        // Its header is whole, so the store does not read it again.
        try put(try damagedFile())
        try await running.set(credential("dave", "y"))
        let saved = try file()
        try put([])
        let repair = try await store().repair()
        XCTAssertEqual(repair?.itemCount, 4, "the backup is a copy of the vault")
        XCTAssertEqual(repair?.generation, 4)
        try put(saved)
    }

    func testOpenStoreRepairsWhatIsOnTheDisk() async throws {
        try await makeTwoGenerations()
        let running = try store()
        _ = try await running.items(service: nil)
        try put(try damagedFile())
        let error = await failure { () throws(KeychainError) in try await running.verify() }
        XCTAssertEqual(error, .damaged)
        let repair = try await running.repair()
        XCTAssertEqual(repair?.action, .restoredBackup)
        // With both damaged, nothing may be copied over the other.
        try put(try damagedFile())
        try put([1], at: backup)
        let both = await failure { () throws(KeychainError) in _ = try await running.repair() }
        XCTAssertEqual(both, .damaged)
        XCTAssertEqual(try bytes(at: backup), [1])
    }

    func testWrongPassphraseOfABackupIsNoRollback() async throws {
        try await makeTwoGenerations()
        unlink(path)
        let store = try store(passphrase: "wrong")
        let error = await failure { () throws(KeychainError) in _ = try await store.repair() }
        XCTAssertEqual(error, .wrongPassphrase)
    }

    /// The checksum of the header has no key, so that an attacker can choose the error.
    func testVaultThatWasTamperedWithIsReplacedOnRequest() async throws {
        // The version; the memory of the slot; a byte of its encrypted key.
        let memory = 126 + 1 + 16 + 2 + "passphrase".utf8.count + 16 + 3
        let changes: [(Int, KeychainError)] = [
            (8, .unsupported), (memory, .overLimit), (200, .wrongPassphrase),
        ]
        for (offset, code) in changes {
            try await makeTwoGenerations()
            var tampered = try file()
            tampered[offset] ^= 0x7E
            try put(withChecksumMadeAnew(tampered))
            let error = try await repairError()
            XCTAssertEqual(error, code)
            XCTAssertTrue(error?.message.contains("--accept-older-copy") ?? false, "\(error as Any)")
            var accepting = try configuration()
            accepting.acceptsRollback = true
            let repair = try await VaultStore(accepting).repair()
            XCTAssertEqual(repair?.action, .restoredBackup)
            let restored = try await accounts()
            XCTAssertEqual(restored, ["alice", "bob"])
            TemporaryFolder.remove(folder)
            mkdir(folder, 0o700)
        }
    }

    /// Otherwise an attacker with an old copy and the old passphrase could read what is stored later.
    func testStateBeforeANewKeyIsNoBackup() async throws {
        try await makeTwoGenerations()
        let stolen = try file()
        try await store().changePassphrase(to: SecretBytes("new"))
        for damage in [nil, []] as [[UInt8]?] {
            unlink(path)
            if let damage { try put(damage) }
            try put(stolen, at: backup)
            let error = try await repairError()
            XCTAssertEqual(error, .rollbackDetected)
        }
    }

    func testFailedRepairLeavesNoFurtherFile() async throws {
        try await makeTwoGenerations()
        var exhausted = try configuration()
        exhausted.acceptsRollback = true
        let contents = try VaultContents(wholeFile: try bytes(at: backup))
        let key = try XCTUnwrap(
            contents.header.open(
                with: UnlockSecret.passphrase(SecretBytes("correct horse")),
                DerivationBudget(nil, nil)
            )?.key
        )
        var last = try OpenVault.decrypt(contents, key: key)
        try put(try last.seal(generation: .max).flatMap { $0 }, at: backup)
        try put([])
        let store = try VaultStore(exhausted)
        let error = await failure { () throws(KeychainError) in _ = try await store.repair() }
        XCTAssertEqual(error, .overLimit)
        XCTAssertEqual(try damagedFiles(), [])
    }

    /// The backup may be all that is left of what was stored since.
    func testAcceptedOlderCopyDestroysNoNewerBackup() async throws {
        try await makeTwoGenerations()
        let old = try file()
        for name in ["dave", "eve", "frank"] { try await store().set(credential(name, "y")) }
        let newer = try bytes(at: backup)
        try put(old)
        let acceptance = try await store().accept()
        XCTAssertEqual(acceptance.generation, 2)
        XCTAssertEqual(try bytes(at: XCTUnwrap(acceptance.keptFile)), newer)
        let none = await openingError(try store())
        XCTAssertNil(none)
    }

    func testKeyOfAnotherStoreOpensTheBackup() async throws {
        let keeper = InMemoryStore()
        try await makeVault()
        try await store().addSlot(.store(keeper), name: "kept")
        try await store().set(credential("carol", "x"))
        try put([])
        let repair = try await store([.store(keeper)]).repair()
        XCTAssertEqual(repair?.action, .restoredBackup)
    }

    func testEveryByteAndEveryTruncationIsRepaired() async throws {
        try await makeTwoGenerations()
        let (whole, old) = (try file(), try bytes(at: backup))
        let marks = try FileManager.default.contentsOfDirectory(atPath: folder + "/state").map {
            folder + "/state/" + $0
        }
        let saved = try marks.map { try bytes(at: $0) }
        let isDeep = TestForm.isDeep
        let step = isDeep ? 1 : 97
        for index in stride(from: 0, to: whole.count, by: step) {
            var flipped = whole
            flipped[index] ^= UInt8.random(in: 1...255)
            for damaged in [flipped, Array(whole[..<index])] {
                try put(damaged)
                try put(old, at: backup)
                for (mark, bytes) in zip(marks, saved) { try put(bytes, at: mark) }
                let error = await openingError(try store())
                XCTAssertEqual(error, .damaged, "byte \(index)")
                let repair = try await store().repair()
                XCTAssertEqual(repair?.itemCount, 2, "byte \(index)")
                let kept = try XCTUnwrap(repair?.keptFile)
                XCTAssertEqual(try bytes(at: kept), damaged)
                unlink(kept)
            }
        }
    }
}
