// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem

/// Computes new hashes on all threads of an upgrade, for one batch at a time.
final class ReplacementPool: Sendable {
    /// The time that a batch should take. Leases are extended between batches, and signals are looked for.
    private static let batchTime = 0.5

    private let target: any UpgradeTarget
    private let workerCount: Int
    /// The time of one hash on one of the threads, in seconds, as last measured.
    private let hashTime = Lock<Double?>(nil)
    private let turn = Lock(())

    init(_ target: any UpgradeTarget, workerCount: Int) {
        self.target = target
        self.workerCount = workerCount
    }

    /// The number of hashes for the next batch.
    var batchCount: Int {
        guard let time = hashTime.withLock({ $0 }) else { return workerCount }
        return max(1, Int(min(1000, Self.batchTime / max(time, 1e-6)))) * workerCount
    }

    /// Computes replacements, and returns them in order.
    func make(_ replacements: [any HashReplacement]) throws -> [[UInt8]] {
        try turn.withLock { _ in
            let start = ContinuousClock.now
            let results = LayeringBatch.contents(of: replacements, target, workerCount: workerCount)
            let rounds = (replacements.count + workerCount - 1) / workerCount
            if rounds > 0 {
                hashTime.withLock { $0 = start.duration(to: .now) / .seconds(1) / Double(rounds) }
            }
            return try results.map { try $0.get() }
        }
    }
}
