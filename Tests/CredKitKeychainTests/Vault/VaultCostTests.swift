// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import XCTest

@testable import CredKitKeychain

/// The computation that a file may cost.
final class VaultCostTests: VaultTestCase {
    func testSlotsAreTriedOnlyUntilTheDeadline() async throws {
        var expensive = try configuration()
        expensive.argon2idCost = try Argon2idCost(memory: .kibibytes(64 << 10), passes: 8)
        expensive.promptPolicy.timeout = .seconds(30)
        let owner = try VaultStore(expensive)
        try await owner.set(credential("alice", "x"))
        for number in 0..<20 {
            try await owner.addSlot(.passphrase(SecretBytes("\(number)")), name: "\(number)")
        }
        var configuration = try configuration([.passphrase(SecretBytes("wrong"))])
        configuration.promptPolicy.timeout = .milliseconds(50)
        configuration.promptPolicy.promptTimeout = .milliseconds(50)
        var isQuick = false
        // Three tries, because the machine may stall for a moment.
        for _ in 0..<3 where !isQuick {
            let store = try VaultStore(configuration)
            let start = ContinuousClock.now
            let error = await openingError(store)
            XCTAssertEqual(error, .timedOut)
            // The store is available again as soon as one slot was tried.
            var status: VaultStatus?
            while status == nil, ContinuousClock.now - start < .seconds(60) {
                status = try? await store.status()
            }
            let taken = ContinuousClock.now - start
            // With the passphrase of the first slot, only one slot is tried.
            let opening = ContinuousClock.now
            _ = try await VaultStore(expensive).items(service: nil)
            isQuick = taken < (ContinuousClock.now - opening) * 10
        }
        XCTAssertTrue(isQuick, "the call tried more slots than its deadline allows")
    }
}
