// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitKeychain

/// Files whose key slots cost as much as their author likes.
final class VaultCeilingTests: VaultTestCase {
    /// A vault with many passphrase slots at the limit of the format, none of which opens.
    private func hostileFile(slots count: Int, memoryKiB: Int, passes: Int) async throws -> [UInt8] {
        try await makeVault()
        let whole = try file()
        let headerByteCount = Int(whole[12]) | Int(whole[13]) << 8
        var slot = Array(whole[126..<(headerByteCount - 32)])
        // The costs follow kind, id, name and salt.
        let costs = 1 + 16 + 2 + "passphrase".utf8.count + 16
        for shift in 0..<4 {
            slot[costs + shift] = UInt8(truncatingIfNeeded: memoryKiB >> (8 * shift))
            slot[costs + 4 + shift] = UInt8(truncatingIfNeeded: passes >> (8 * shift))
        }
        var header = Array(whole[..<124]) + [UInt8(count), 0]
        for number in 0..<count {
            // Each has an id of its own.
            slot[1] = UInt8(number)
            header += slot
        }
        header += [UInt8](repeating: 0, count: 32)
        header[12] = UInt8(header.count & 0xFF)
        header[13] = UInt8(header.count >> 8)
        return withChecksumMadeAnew(header) + whole[headerByteCount...]
    }

    func testSlotsTogetherOverTheLimitAreRefusedBeforeTheFirstIsTried() async throws {
        try put(await hostileFile(slots: 32, memoryKiB: 1 << 20, passes: 4))
        let start = ContinuousClock.now
        let error = await openingError(try store())
        XCTAssertEqual(error, .overLimit)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(20), "all slots take minutes")
    }

    func testHostileArchiveIsRefusedUnlessItsCostIsAllowed() async throws {
        let passphrase = try SecretBytes("correct horse")
        for (slots, memoryKiB, passes) in [
            (32, 1 << 20, 4), (1, (128 << 10) + 1, 1), (32, 128 << 10, 1), (2, 8, 1),
        ] {
            let archive = try await hostileFile(slots: slots, memoryKiB: memoryKiB, passes: passes)
            XCTAssertLessThan(archive.count, 9000)
            let start = ContinuousClock.now
            XCTAssertThrowsError(try VaultArchive.decrypt(archive, passphrase: passphrase)) { error in
                XCTAssertEqual(error as? KeychainError, .overLimit)
            }
            XCTAssertLessThan(ContinuousClock.now - start, .seconds(10))
        }
        let costly = try await hostileFile(slots: 1, memoryKiB: 129 << 10, passes: 1)
        XCTAssertThrowsError(
            try VaultArchive.decrypt(costly, passphrase: passphrase, allowsCostlyKeyDerivation: true)
        ) { error in XCTAssertEqual(error as? KeychainError, .wrongPassphrase, "it was tried") }
    }

    func testSlotThatOutlastsTheCallerIsNotBegun() async throws {
        try put(await hostileFile(slots: 1, memoryKiB: 1 << 20, passes: 4))
        var configuration = try configuration()
        configuration.promptPolicy.timeout = .milliseconds(1500)
        configuration.allowsCostlyKeyDerivation = true
        let start = ContinuousClock.now
        let error = await openingError(try VaultStore(configuration))
        XCTAssertEqual(error, .timedOut)
        XCTAssertTrue(error?.message.contains("--timeout") ?? false, "\(String(describing: error))")
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(10))
    }

    func testTimeoutHoldsThoughPromptsAreGrantedMore() async throws {
        try put(await hostileFile(slots: 32, memoryKiB: 1 << 20, passes: 1))
        var configuration = try configuration()
        configuration.promptPolicy = PromptPolicy(mode: .terminal, timeout: .seconds(2))
        configuration.allowsCostlyKeyDerivation = true
        let start = ContinuousClock.now
        let error = await openingError(try VaultStore(configuration))
        XCTAssertEqual(error, .timedOut)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(20), "no prompt was shown")
    }

    func testStandardVaultWithAllSlotsOpens() async throws {
        // Their costs together are within the limit, so that no honest vault of standard slots is refused.
        let slots = [KeySlot](
            repeating: try OpenVault().slot(
                .passphrase(.standard),
                name: "passphrase",
                under: SecretBytes("x"),
                DerivationBudget(nil, nil)
            ),
            count: VaultLimits.slotCount
        )
        let budget = DerivationBudget(.vault, nil)
        XCTAssertNoThrow(try budget.check(slots))
        let cost = try XCTUnwrap(slots.first?.argon2idCost)
        for _ in slots { XCTAssertNoThrow(try budget.spend(cost)) }
        XCTAssertNoThrow(try budget.check(slots), "a second attempt with another passphrase")
    }

    func testVaultAtTheLimitOfTheFormatOpens() async throws {
        try XCTSkipUnless(isDeep, "takes 1 GiB and some seconds")
        var configuration = try configuration()
        configuration.argon2idCost = try Argon2idCost(memory: .gibibytes(1), passes: 4)
        try await VaultStore(configuration).set(credential("alice", "x"))
        let items = try await VaultStore(configuration).items(service: nil)
        XCTAssertEqual(items.count, 1)
    }

    /// Every writer takes as long as it needs, and waits for the lock as long as its caller waits.
    func testSixtyFourWritersAtOnceAllSucceed() async throws {
        try await makeVault()
        let configuration = try configuration()
        let errors = try await withThrowingTaskGroup(of: KeychainError?.self) { group in
            for number in 0..<64 {
                let credential = try credential("writer \(number)", "x")
                group.addTask {
                    do throws(KeychainError) {
                        try await VaultStore(configuration).set(credential)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var errors: [KeychainError] = []
            for try await error in group { if let error { errors.append(error) } }
            return errors
        }
        XCTAssertEqual(errors, [])
        let items = try await store().items(service: nil)
        XCTAssertEqual(items.count, 66)
    }

    private var isDeep: Bool { TestForm.isDeep }
}
