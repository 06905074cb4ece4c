// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// The time and memory that an upgrade of a table takes on this machine.
struct UpgradeEstimate {
    /// The number of hashes to layer.
    let hashes: Int
    /// The time, from a sample of hashes that were layered like those of the table.
    let seconds: Double
    /// The memory of all workers.
    let memoryKiB: Int
    let workers: Int

    /// How long the sample takes, unless it is complete earlier. A hash that was begun is finished.
    private static let sampleTime = Duration.milliseconds(1500)
    /// The memory of the sample, unless a single hash needs more.
    private static let sampleMemory = 64 << 20

    /// Measures as `TableUpgrader` works: in batches, with all workers, or as many as the memory of the sample allows; more
    /// of them are taken to be faster in proportion. The time of a hash does not depend on the older hash, so no hash of
    /// the table is needed.
    static func measure(hashes: Int, _ context: PasswordContext, workerCount: Int) throws -> Self {
        let sampleWorkerCount = Self.sampleWorkerCount(context.policy.preferred, workerCount: workerCount)
        let older = try PasswordHash("{MD5}AAAAAAAAAAAAAAAAAAAAAA==")
        var done = 0
        let start = ContinuousClock.now
        var elapsed = Duration.zero
        while done < hashes && elapsed < sampleTime {
            let results = LayeringBatch.results(
                min(hashes - done, sampleWorkerCount * LayeringBatch.hashesPerWorker),
                workerCount: sampleWorkerCount,
                deadline: start + sampleTime
            ) { _ in try context.layer(over: older) }
            for result in results { _ = try result.get() }
            done += results.count
            elapsed = start.duration(to: .now)
        }
        let speedup = Double(workerCount) / Double(sampleWorkerCount)
        let memory = context.policy.preferred.memory.kibibytes * workerCount
        return Self(
            hashes: hashes,
            seconds: done == 0 ? 0 : elapsed / .seconds(1) * Double(hashes) / Double(done) / speedup,
            memoryKiB: hashes == 0 ? 0 : memory,
            workers: workerCount
        )
    }

    /// Measures how long SCRAM verifiers take, in groups as an upgrade makes them.
    static func measure(hashes: Int, _ target: SCRAMUpgrade, workerCount: Int) throws -> Self {
        let equivalent = [UInt8](repeating: UInt8(ascii: "0"), count: SCRAMUpgrade.digitCount)
        let step = try target.step(for: equivalent) { throw PasswordError.unrecognized }
        guard hashes > 0, case .replace(let replacement) = step else {
            return Self(hashes: hashes, seconds: 0, memoryKiB: 0, workers: workerCount)
        }
        let group = [any HashReplacement](repeating: replacement, count: target.groupSize)
        var done = 0
        let start = ContinuousClock.now
        var elapsed = Duration.zero
        while done < hashes && elapsed < sampleTime {
            let results = LayeringBatch.results(
                workerCount,
                workerCount: workerCount,
                deadline: start + sampleTime
            ) { _ in target.make(group).count }
            for result in results { done += try result.get() }
            elapsed = start.duration(to: .now)
        }
        let seconds = elapsed / .seconds(1) * Double(hashes) / Double(max(1, done))
        return Self(hashes: hashes, seconds: seconds, memoryKiB: 0, workers: workerCount)
    }

    /// Returns the number of workers of the sample: all, if their hashes fit its memory.
    private static func sampleWorkerCount(_ parameters: PasswordParameters, workerCount: Int) -> Int {
        max(1, min(workerCount, sampleMemory / max(1, parameters.memory.bytes)))
    }

    /// The time for people, rounded up: `2 h 45 min`.
    var time: String { TimeLeft.text(seconds: seconds) }
}
