// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitCommand
import CredKitSystem
import XCTest

final class LayeringBatchTests: XCTestCase {
    private struct Failure: Error, Equatable {
        let number: UInt8
    }

    private struct Number: HashReplacement {
        let number: UInt8

        func make() throws -> [UInt8] {
            guard number % 10 != 7 else { throw Failure(number: number) }
            return [number]
        }

        func mightHaveMade(_ content: [UInt8]) -> Bool { content == [number] }
    }

    private struct Numbers: UpgradeTarget {
        let limits = PasswordLimits.standard
        let batchSize = 100
        let groupSize: Int
        let rehashNote = ""
        let summary = ""
        let sizes = Lock<[Int]>([])

        func step(for content: [UInt8], read: () throws -> PasswordHash) -> UpgradeStep { .keep(.current) }

        func make(_ group: [any HashReplacement]) -> [Result<[UInt8], any Error>] {
            sizes.withLock { $0.append(group.count) }
            return group.map { replacement in Result { try replacement.make() } }
        }
    }

    func testGroupsKeepTheOrderAndTheErrorsOfTheirReplacements() throws {
        for count in [0, 1, 15, 16, 17, 33, 90] {
            for (groupSize, workers) in [(1, 2), (16, 1), (16, 2), (16, 5)] {
                let target = Numbers(groupSize: groupSize)
                let numbers = (0..<count).map { Number(number: UInt8($0)) }
                let contents = LayeringBatch.contents(of: numbers, target, workerCount: workers)
                XCTAssertEqual(contents.count, count)
                for (number, content) in zip(numbers, contents) {
                    if number.number % 10 == 7 {
                        XCTAssertThrowsError(try content.get()) {
                            XCTAssertEqual($0 as? Failure, Failure(number: number.number))
                        }
                    } else {
                        XCTAssertEqual(try content.get(), [number.number])
                    }
                }
                let sizes = target.sizes.withLock { $0 }
                XCTAssertEqual(sizes.reduce(0, +), count)
                // Each worker has its share.
                let share = (count + workers - 1) / workers
                XCTAssertLessThanOrEqual(sizes.max() ?? 0, min(groupSize, share))
            }
        }
    }

    func testWorkersTakeNoIndexAfterTheDeadlineExceptTheirFirst() throws {
        let past = ContinuousClock.now
        for workers in [1, 2, 3] {
            let results = LayeringBatch.results(100, workerCount: workers, deadline: past) { $0 }
            XCTAssertEqual(try results.map { try $0.get() }, Array(0..<workers))
        }
        let later = ContinuousClock.now + .seconds(86_400)
        let all = LayeringBatch.results(100, workerCount: 2, deadline: later) { $0 }
        XCTAssertEqual(try all.map { try $0.get() }, Array(0..<100))
        XCTAssertEqual(LayeringBatch.results(1, workerCount: 3, deadline: past) { $0 }.count, 1)
    }
}
