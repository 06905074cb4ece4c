// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

final class VaultStoreTests: VaultTestCase {
    func testAcknowledgedChangesAreVisibleToOtherStores() async throws {
        let first = try store()
        let second = try store()
        let nothing = try await second.items(service: nil)
        XCTAssertEqual(nothing, [])
        XCTAssertFalse(FileManager.default.fileExists(atPath: path), "reading should not create a file")
        let key = CredentialKey(service: "mail", account: "alice")
        try await first.set(credential("alice", "one"))
        let one = try await second.credential(for: key)
        XCTAssertEqual(one?.secret, try SecretBytes("one"))
        try await second.set(credential("alice", "two"))
        let two = try await first.credential(for: key)
        XCTAssertEqual(two?.secret, try SecretBytes("two"))
        let count = try await first.verify()
        XCTAssertEqual(count, 1)
    }

    func testFileRevealsNoContent() async throws {
        let store = try store()
        let key = CredentialKey(
            service: "the service",
            account: "the account",
            attributes: ["the name": "the value"]
        )
        let item = CredentialItem(key: key, label: "the label", contentType: "the/type")
        try await store.set(Credential(item: item, secret: SecretBytes("the secret")))
        let text = String(decoding: try file(), as: Unicode.ASCII.self)
        XCTAssertTrue(text.hasPrefix("CredKitV"))
        XCTAssertFalse(text.contains("the "))
    }

    func testFileSizesRevealLittle() async throws {
        var sizes: Set<Int> = []
        for count in 1...20 {
            TemporaryFolder.remove(path)
            TemporaryFolder.remove(path + ".bak")
            TemporaryFolder.remove(folder + "/state")
            try await makeVault(accounts: (0..<count).map { "account \($0)" })
            sizes.insert(try file().count)
        }
        XCTAssertEqual(sizes.count, 1)
        for count in stride(from: 1, to: 1 << 20, by: 997) {
            let padded = Padding.paddedByteCount(count, minimum: 4096)
            XCTAssertTrue(
                padded >= count && Double(padded) <= max(4096, Double(count) * 1.12),
                "\(count) → \(padded)"
            )
        }
    }

    func testEachSaveHasANewSaltAndNonce() async throws {
        let store = try store()
        var (salts, nonces): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for number in 0..<20 {
            try await store.set(credential("alice", "\(number)"))
            salts.insert(Array(try file()[72..<104]))
            nonces.insert(Array(try file()[104..<116]))
        }
        XCTAssertEqual(salts.count, 20)
        XCTAssertEqual(nonces.count, 20)
    }

    func testABatchIsSavedOnceOrNotAtAll() async throws {
        let store = try store()
        try await store.update(try (0..<100).map { .set(try credential("a\($0)", "x")) })
        let status = try await store.status()
        XCTAssertEqual(status.generation, 1)
        let before = try file()
        let good = try credential("new", "x")
        let bad = try credential("bad\0", "x")
        let error = await failure { () throws(KeychainError) in
            try await store.update([.set(good), .set(bad)])
        }
        XCTAssertEqual(error, .invalid)
        XCTAssertEqual(try file(), before)
    }

    func testHeldLockThrowsBusyWithinTheDeadline() async throws {
        try await makeVault()
        let lock = open(path + ".lock", O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        XCTAssertEqual(flock(lock, LOCK_EX), 0)
        let items = try await store().items(service: nil)
        XCTAssertEqual(items.count, 2, "readers should not need the lock")
        let credential = try credential("carol", "x")
        var configuration = try configuration()
        configuration.promptPolicy.timeout = .milliseconds(500)
        let store = try VaultStore(configuration)
        let start = ContinuousClock.now
        let error = await failure { () throws(KeychainError) in try await store.set(credential) }
        XCTAssertTrue(error == .busy || error == .timedOut, "\(String(describing: error))")
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(60))
        let task = Task { () -> KeychainError? in
            do throws(KeychainError) {
                try await store.set(credential)
                return nil
            } catch {
                return error
            }
        }
        task.cancel()
        let cancelled = await task.value
        XCTAssertEqual(cancelled, .cancelled)
    }

    func testNextOpeningRemovesLeftoversOfAKilledWriter() async throws {
        try await makeVault()
        let leftover = folder + "/.vault.0123456789abcdef.tmp"
        let other = folder + "/.other.0123456789abcdef.tmp"
        try put([1], at: leftover)
        try put([1], at: other)
        let lock = open(path + ".lock", O_RDWR | O_CREAT, 0o600)
        XCTAssertEqual(flock(lock, LOCK_EX), 0)
        _ = try await store().items(service: nil)
        XCTAssertTrue(
            FileManager.default.fileExists(atPath: leftover),
            "the lock is held, so the writer may be alive"
        )
        close(lock)
        _ = try await store().items(service: nil)
        XCTAssertFalse(FileManager.default.fileExists(atPath: leftover))
        XCTAssertTrue(FileManager.default.fileExists(atPath: other))
    }

    func testFilesWritableByOthersAreRefused() async throws {
        try await makeVault()
        func expect(_ what: String, line: UInt = #line) async throws {
            let error = await openingError(try self.store())
            XCTAssertEqual(error, .insecureFile, what, line: line)
        }
        for mode in [0o620, 0o602] {
            chmod(path, mode_t(mode))
            try await expect("mode \(String(mode, radix: 8))")
        }
        chmod(path, 0o600)
        chmod(folder, 0o770)
        try await expect("a folder that the group can write")
        chmod(folder, 0o700)
        rename(path, folder + "/elsewhere")
        symlink(folder + "/elsewhere", path)
        try await expect("a link")
        unlink(path)
        mkfifo(path, 0o600)
        try await expect("a pipe")
        unlink(path)
        rename(folder + "/elsewhere", path)
        symlink("/etc/passwd", path + ".lock.new")
        rename(path + ".lock.new", path + ".lock")
        let store = try store()
        let credential = try credential("carol", "x")
        let error = await failure { () throws(KeychainError) in try await store.set(credential) }
        XCTAssertEqual(error, .insecureFile, "a symbolic link as the lock file")
        if geteuid() == 0 {
            unlink(path + ".lock")
            chown(path, 12345, 12345)
            try await expect("another user's file")
        }
    }

    func testFilesArePrivateToTheUser() async throws {
        umask(0)
        defer { umask(0o022) }
        let inside = folder + "/a/b"
        var configuration = try configuration()
        configuration.path = inside + "/vault"
        let store = try VaultStore(configuration)
        try await store.set(credential("alice", "x"))
        try await store.set(credential("alice", "y"))
        for (path, mode) in [
            (inside, 0o700), (inside + "/vault", 0o600), (inside + "/vault.bak", 0o600),
            (inside + "/vault.lock", 0o600),
            (folder + "/state", 0o700),
        ] {
            var status = stat()
            XCTAssertEqual(stat(path, &status), 0, path)
            XCTAssertEqual(Int(status.st_mode & 0o777), mode, path)
        }
    }

    func testMissingVaultWithABackupIsNotAnEmptyVault() async throws {
        try await makeVault()
        try await store().set(credential("carol", "x"))
        unlink(path)
        let error = await openingError(try store())
        XCTAssertEqual(error, .damaged)
        let done = try await store().repair()
        XCTAssertNotNil(done)
        let items = try await store().items(service: nil)
        XCTAssertEqual(items.compactMap(\.account), ["alice", "bob"], "the backup should be one save older")
    }

    func testRepairRestoresTheBackupAndKeepsTheDamagedFile() async throws {
        try await makeVault()
        try await store().set(credential("carol", "x"))
        var bytes = try file()
        bytes[bytes.count - 1] ^= 1
        try put(bytes)
        let done = try await store().repair()
        XCTAssertEqual(done?.itemCount, 2)
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.contains(".damaged-")
        }
        XCTAssertEqual(kept.count, 1)
        let again = try await store().repair()
        XCTAssertNil(again, "a second repair should do nothing")
        try await store().set(credential("dave", "x"))
    }

    func testLockedVaultOpensOnlyByUnlocking() async throws {
        try await makeVault()
        let store = try store()
        try await store.lock()
        let error = await openingError(store)
        XCTAssertEqual(error, .locked)
        let credential = try credential("carol", "x")
        let setting = await failure { () throws(KeychainError) in try await store.set(credential) }
        XCTAssertEqual(setting, .locked)
        try await store.unlock()
        let items = try await store.items(service: nil)
        XCTAssertEqual(items.count, 2)
    }

    func testAnIdleVaultLocksItself() async throws {
        try await makeVault()
        let passphrase = folder + "/passphrase"
        try put(Array("correct horse\n".utf8), at: passphrase)
        var configuration = try configuration([.passphraseFile(passphrase)])
        configuration.autoLockTimeout = .seconds(600)
        let patient = try VaultStore(configuration)
        configuration.autoLockTimeout = .seconds(1)
        let store = try VaultStore(configuration)
        for store in [patient, store] { _ = try await store.items(service: nil) }
        unlink(passphrase)
        var error: KeychainError?
        // This access precedes the automatic lock, so the idle time starts again.
        for _ in 0..<10 where error == nil {
            try await Task.sleep(for: .milliseconds(1500))
            error = await openingError(store)
        }
        XCTAssertEqual(error, .noPassphrase, "the vault should be locked again")
        let open = await openingError(patient)
        XCTAssertNil(open, "the vault should still be unlocked")
    }
}
