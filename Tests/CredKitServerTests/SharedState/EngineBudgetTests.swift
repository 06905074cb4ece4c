// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import XCTest

@testable import CredKitServer

/// How long one request waits for the engine.
final class EngineBudgetTests: XCTestCase {
    private static func remaining() async throws -> Duration {
        try await EngineBudget.step(upTo: .seconds(300)) { $0 }
    }

    func testAStepWithoutABudgetHasItsLimit() async throws {
        for _ in 0..<2 {
            let limit = try await Self.remaining()
            XCTAssertEqual(limit, .seconds(300))
        }
    }

    func testStepsShareABudget() async throws {
        try await EngineBudget.with(.seconds(60)) {
            let first = try await Self.remaining()
            XCTAssertLessThanOrEqual(first, .seconds(60))
            try await EngineBudget.step(upTo: .seconds(300)) { limit in
                XCTAssertLessThanOrEqual(limit, .seconds(60))
                try await Task.sleep(for: .milliseconds(50))
            }
            let rest = try await Self.remaining()
            XCTAssertLessThanOrEqual(rest, .milliseconds(59_950))
            // A task of the request has the same budget.
            async let child = Self.remaining()
            let other = try await child
            XCTAssertLessThanOrEqual(other, rest)
        }
        let limit = try await Self.remaining()
        XCTAssertEqual(limit, .seconds(300), "the budget ends with the request")
    }

    func testNoStepBeginsWhenTheBudgetIsUsedUp() async throws {
        await EngineBudget.with(.milliseconds(1)) {
            _ = try? await EngineBudget.step(upTo: .seconds(1)) { _ in
                try await Task.sleep(for: .milliseconds(5))
            }
            do {
                try await EngineBudget.step(upTo: .seconds(1)) { _ in XCTFail("it ran") }
                XCTFail("no error")
            } catch {
                XCTAssertEqual(error as? SharedStateError, SharedStateError(.budgetSpent))
            }
        }
    }

    /// A step that fails has taken its time as well.
    func testFailuresCount() async throws {
        struct Failure: Error {}
        try await EngineBudget.with(.seconds(60)) {
            for _ in 0..<2 {
                try? await EngineBudget.step(upTo: .seconds(1)) { (_) async throws in
                    try await Task.sleep(for: .milliseconds(20))
                    throw Failure()
                }
            }
            let rest = try await Self.remaining()
            XCTAssertLessThanOrEqual(rest, .milliseconds(59_960))
        }
    }
}
