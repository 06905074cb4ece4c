// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem

/// Layers many hashes on several threads.
enum LayeringBatch {
    /// The number of hashes in a batch, per worker.
    static let hashesPerWorker = 8

    /// Returns the number of workers whose hashes fit a memory budget.
    static func workerCount(_ parameters: PasswordParameters, memoryBudget: Int) -> Int {
        min(Processors.count, max(1, memoryBudget / max(1, parameters.memory.bytes)))
    }

    /// Calls `body` once for each index, on as many threads as there are workers, and returns the results in order. Each
    /// worker takes the next index when it is done with one, and none after the deadline except for its first: then there
    /// are fewer results.
    static func results<Value: Sendable>(
        _ count: Int,
        workerCount: Int,
        deadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Int) throws -> Value
    ) -> [Result<Value, any Error>] {
        let next = Lock(0)
        let results = Lock([Result<Value, any Error>?](repeating: nil, count: count))
        JoinedThreads.run(min(workerCount, count)) { _ in
            while true {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < count, index < workerCount || deadline.map({ .now < $0 }) ?? true else {
                    return
                }
                let result = Result { try body(index) }
                results.withLock { $0[index] = result }
            }
        }
        return results.withLock { $0.compactMap { $0 } }
    }

    /// Returns the new contents of replacements in order. The workers take groups of them, as large as the target allows and
    /// so small that each worker gets one.
    static func contents(
        of replacements: [any HashReplacement],
        _ target: any UpgradeTarget,
        workerCount: Int
    ) -> [Result<[UInt8], any Error>] {
        let share = (replacements.count + workerCount - 1) / workerCount
        let size = max(1, min(target.groupSize, share))
        let groups = stride(from: 0, to: replacements.count, by: size).map { start in
            Array(replacements[start..<min(start + size, replacements.count)])
        }
        let made = results(groups.count, workerCount: workerCount) { target.make(groups[$0]) }
        return zip(groups, made).flatMap { group, made -> [Result<[UInt8], any Error>] in
            switch made {
            case .success(let contents): contents
            case .failure(let error): group.map { _ in .failure(error) }
            }
        }
    }
}
