// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import HTTPTypes
import XCTest

@testable import CredKitClient

final class SharedOutcomeTests: XCTestCase {
    func testAllWaitersGetTheFirstResultOnce() async throws {
        let outcome = SharedOutcome<Int, ClientError>()
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<500 { group.addTask { try await outcome.value() } }
            group.addTask {
                outcome.give(.success(1))
                outcome.give(.success(2))
                return 1
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(results, Array(repeating: 1, count: 501))
        let late = try await outcome.value()
        XCTAssertEqual(late, 1)
    }

    func testCancellationRaceResumesEachWaiterOnce() async {
        // Resuming a continuation twice crashes the process; never resuming it hangs the test.
        for round in 0..<2_000 {
            let outcome = SharedOutcome<Int, ClientError>()
            let waiters = (0..<4).map { _ in
                Task { () async -> Bool in
                    do throws(ClientError) {
                        return try await outcome.value() == round
                    } catch {
                        return error == .cancelled
                    }
                }
            }
            let giver = Task { outcome.give(.success(round)) }
            waiters[round % 4].cancel()
            for waiter in waiters {
                let isRight = await waiter.value
                XCTAssertTrue(isRight)
            }
            await giver.value
        }
    }

    func testCancelledTaskDoesNotWait() async {
        let outcome = SharedOutcome<Int, ClientError>()
        let task = Task { () async -> ClientError? in
            while !Task.isCancelled { await Task.yield() }
            do throws(ClientError) {
                _ = try await outcome.value()
                return nil
            } catch {
                return error
            }
        }
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error, .cancelled)
    }
}
