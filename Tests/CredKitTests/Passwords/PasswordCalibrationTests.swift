// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKit

final class PasswordCalibrationTests: XCTestCase {
    func testChosenCostIsWithinTheTimeAndMemoryBudget() async throws {
        for scheme in PasswordParameters.availableSchemes {
            let calibration = try await PasswordCalibration.measure(
                scheme,
                within: .milliseconds(40),
                memoryLimit: .mebibytes(8)
            )
            XCTAssertEqual(calibration.parameters.scheme, scheme)
            XCTAssertLessThanOrEqual(calibration.time, .milliseconds(40), "\(calibration.measurements)")
            XCTAssertLessThanOrEqual(calibration.parameters.memory, .mebibytes(8))
            XCTAssertTrue(calibration.measurements.contains { $0.parameters == calibration.parameters })
        }
    }

    func testAssessmentMatchesTheRecommendedPolicy() async throws {
        let weak = try await PasswordCalibration.measure(
            .argon2id,
            within: .milliseconds(100),
            memoryLimit: .mebibytes(1)
        )
        XCTAssertEqual(weak.parameters.costs.first?.description, "memory=1024")
        XCTAssertEqual(
            weak.hashStatus,
            PasswordPolicy.recommended.assess(
                try PasswordHash(
                    PasswordContext(policy: PasswordPolicy(preferred: weak.parameters)).hash("p")
                )
            )
        )
    }

    func testInvalidTargetsAreRefused() async throws {
        for (scheme, target, memory) in [
            (PasswordHash.Scheme.md5Crypt, Duration.seconds(1), MemorySize?.none), (.argon2id, .zero, nil),
            (.argon2id, .nanoseconds(1), nil), (.yescrypt, .seconds(1), .kibibytes(8)),
        ] {
            do throws(PasswordError) {
                let calibration = try await PasswordCalibration.measure(
                    scheme,
                    within: target,
                    memoryLimit: memory
                )
                XCTFail("\(calibration)")
            } catch {
                XCTAssertEqual(error, .invalidParameters)
            }
        }
    }

    func testLimitsAreNeverExceeded() async throws {
        let limits = PasswordLimits(memory: .mebibytes(4), computationTime: .milliseconds(20))
        let calibration = try await PasswordCalibration.measure(
            .argon2id,
            within: .seconds(10),
            memoryLimit: .mebibytes(16),
            limits: limits
        )
        for measurement in calibration.measurements {
            XCTAssertLessThanOrEqual(measurement.parameters.memory, .mebibytes(4))
        }
        XCTAssertNoThrow(
            try PasswordContext(policy: PasswordPolicy(preferred: calibration.parameters), limits: limits)
        )
    }

    func testEndsBetweenTwoHashesWhenItIsCancelled() throws {
        for allowedHashes in [0, 1, 4] {
            var hashes = 0
            var search = PasswordCalibrationSearch(
                algorithm: try XCTUnwrap(PasswordSchemes.algorithm(of: .argon2id)),
                target: .seconds(60),
                limits: .standard
            ) {
                hashes += 1
                return hashes > allowedHashes
            }
            XCTAssertThrowsError(try search.run(startingAt: .kibibytes(64))) {
                XCTAssertEqual($0 as? PasswordError, .cancelled)
            }
            XCTAssertEqual(hashes, allowedHashes + 1)
            XCTAssertEqual(search.measurements.count, allowedHashes / 3)
        }
    }

    func testCancelledTaskGetsNoCalibration() async throws {
        // An hour, if cancelling did not end it.
        let task = Task {
            try await PasswordCalibration.measure(
                .argon2id,
                within: .seconds(360),
                limits: PasswordLimits(computationTime: .seconds(3600))
            )
        }
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? PasswordError, .cancelled) }
    }
}
