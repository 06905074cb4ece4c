// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitVectors
import XCTest

@testable import CredKitClient

/// Checks the rules of the cache against the table of scenarios.
final class CacheScenarioTests: XCTestCase {
    func testScenariosOfTheTable() throws {
        let file = try VectorFile<CacheScenario>.load("rfc9111-caching")
        XCTAssertGreaterThanOrEqual(file.cases.count, 400)
        for problem in file.cases.compactMap({ $0.problem() }) { XCTFail(problem) }
    }
}
