// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

@testable import CredKitKeychain

/// Attacks on a vault's file.
final class VaultTamperTests: VaultTestCase {
    /// All positions of a vault; in the short form every fourth, from a random one on.
    private static func some(of bytes: [UInt8]) -> StrideTo<Int> {
        let step = TestForm.isDeep ? 1 : 4
        return stride(from: Int.random(in: 0..<step), to: bytes.count, by: step)
    }

    func testEveryFlippedByteIsReportedAsDamage() async throws {
        try await makeVault()
        let whole = try file()
        let store = try store()
        for index in Self.some(of: whole) {
            var bytes = whole
            bytes[index] ^= UInt8.random(in: 1...255)
            try put(bytes)
            let error = await openingError(store)
            XCTAssertEqual(error, .damaged, "byte \(index)")
            try await store.close()
        }
        try put(whole)
        let error = await openingError(store)
        XCTAssertNil(error)
    }

    func testEveryFlippedByteOfAHeaderWithANewChecksumIsRefused() async throws {
        try await makeVault()
        let whole = try file()
        let headerByteCount = Int(whole[12]) | Int(whole[13]) << 8
        var errors: Set<String> = []
        for index in 0..<(headerByteCount - 32) {
            for flip in [1, 0x80] as [UInt8] {
                var bytes = whole
                bytes[index] ^= flip
                try put(withChecksumMadeAnew(bytes))
                let error = await openingError(try store())
                XCTAssertNotNil(error, "byte \(index)")
                switch error {
                case KeychainError.damaged: errors.insert("damaged")
                case KeychainError.wrongPassphrase: errors.insert("wrong passphrase")
                case KeychainError.noPassphrase: errors.insert("other kind of slot")
                case KeychainError.overLimit: errors.insert("over the limit")
                case KeychainError.unsupported: errors.insert("unsupported")
                case KeychainError.vaultReplaced: errors.insert("another id")
                default: return XCTFail("byte \(index): \(String(describing: error))")
                }
            }
        }
        XCTAssertTrue(
            errors.isSuperset(of: [
                "damaged", "wrong passphrase", "over the limit", "unsupported", "another id",
            ]),
            "\(errors)"
        )
    }

    func testEveryTruncationIsReportedAsDamage() async throws {
        try await makeVault()
        let whole = try file()
        for count in Self.some(of: whole) {
            try put(Array(whole[..<count]))
            let error = await openingError(try store())
            XCTAssertEqual(error, .damaged, "\(count) bytes")
        }
        try put(whole + [0])
        let error = await openingError(try store())
        XCTAssertEqual(error, .damaged)
    }

    func testUnreadableVaultIsNotOverwritten() async throws {
        for content in [[], Array("something else".utf8), [UInt8](repeating: 0, count: 5000)] {
            try put(content)
            let store = try store()
            let credential = try credential("alice", "x")
            let error = await failure { () throws(KeychainError) in try await store.set(credential) }
            XCTAssertEqual(error, .damaged)
            XCTAssertEqual(try file(), content)
        }
    }

    func testCombinedPartsOfTwoVaultsDoNotOpen() async throws {
        try await makeVault()
        let first = try file()
        TemporaryFolder.remove(path)
        TemporaryFolder.remove(folder + "/state")
        try await makeVault()
        let second = try file()
        let headerByteCount = Int(first[12]) | Int(first[13]) << 8
        try put(Array(first[..<headerByteCount] + second[headerByteCount...]))
        TemporaryFolder.remove(folder + "/state")
        let mixed = await openingError(try store())
        XCTAssertEqual(mixed, .damaged)

        // The slot of one vault in the other: it has the same passphrase, so it could be unlocked.
        let slots = 126..<(headerByteCount - 32)
        var bytes = second
        bytes.replaceSubrange(slots, with: first[slots])
        try put(withChecksumMadeAnew(bytes))
        let slot = await openingError(try store())
        XCTAssertEqual(slot, .wrongPassphrase)
    }

    func testEarlierItemsUnderALaterHeaderAreDamage() async throws {
        try await makeVault()
        let earlier = try file()
        try await store().set(credential("carol", "x"))
        let later = try file()
        let headerByteCount = Int(later[12]) | Int(later[13]) << 8
        try put(Array(later[..<headerByteCount] + earlier[headerByteCount...]))
        let error = await openingError(try store())
        XCTAssertEqual(error, .damaged)
    }

    func testOlderCopyIsReportedUntilAccepted() async throws {
        try await makeVault()
        let older = try file()
        let running = try store()
        try await running.set(credential("carol", "x"))
        try put(older)
        let error = await openingError(try store())
        XCTAssertEqual(error, .rollbackDetected)
        let errorOfOpenStore = await openingError(running)
        XCTAssertEqual(errorOfOpenStore, .rollbackDetected)
        let credential = try credential("dave", "x")
        let savingError = await failure { () throws(KeychainError) in try await running.set(credential) }
        XCTAssertEqual(savingError, .rollbackDetected)
        XCTAssertEqual(try file(), older)

        var accepting = try configuration()
        accepting.acceptsRollback = true
        let items = try await VaultStore(accepting).items(service: nil)
        XCTAssertEqual(items.compactMap(\.account), ["alice", "bob"])
        let stillOlder = await openingError(try store())
        XCTAssertEqual(stillOlder, .rollbackDetected, "reading should not accept the older copy")
        let done = try await VaultStore(accepting).repair()
        XCTAssertNotNil(done)
        let accepted = await openingError(try store())
        XCTAssertNil(accepted)
    }

    func testForkedCopyOfTheSameGenerationIsReported() async throws {
        try await makeVault()
        let base = try file()
        try await store().set(credential("carol", "x"))
        let seen = try file()
        var elsewhere = try configuration()
        elsewhere.stateDirectory = folder + "/other-state"
        try put(base)
        try await VaultStore(elsewhere).set(credential("mallory", "y"))
        let error = await openingError(try store())
        XCTAssertEqual(error, .rollbackDetected)
        try put(seen)
        let none = await openingError(try store())
        XCTAssertNil(none)
    }

    func testHostileCostsAreRefusedBeforeAnyComputation() async throws {
        try await makeVault()
        let whole = try file()
        // The costs follow kind, id, name and salt.
        let costs = 126 + 1 + 16 + 2 + "passphrase".utf8.count + 16
        for (memoryKiB, passes) in [
            (4 << 20, 1), (8, 100), (1 << 20, 5), (0, 1), (8, 0), (4_294_967_295, 4_294_967_295),
        ] {
            var bytes = whole
            for shift in 0..<4 {
                bytes[costs + shift] = UInt8(truncatingIfNeeded: memoryKiB >> (8 * shift))
                bytes[costs + 4 + shift] = UInt8(truncatingIfNeeded: passes >> (8 * shift))
            }
            try put(withChecksumMadeAnew(bytes))
            let store = try store()
            let start = ContinuousClock.now
            let error = await openingError(store)
            XCTAssertEqual(error, .overLimit, "\(memoryKiB) KiB, \(passes) passes")
            XCTAssertLessThan(ContinuousClock.now - start, .seconds(4))
        }
    }
}
