// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitCommand
import XCTest

final class LayeringBatchTests: XCTestCase {
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
