// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class PasswordCalibrationTests: XCTestCase {
    func testChosenCostIsWithinTheTimeAndMemoryBudget() throws {
        for scheme in PasswordParameters.availableSchemes {
            let calibration = try PasswordCalibration(of: scheme, target: .milliseconds(40), memoryKiB: 8192)
            XCTAssertEqual(calibration.parameters.scheme, scheme)
            XCTAssertLessThanOrEqual(calibration.time, .milliseconds(40), "\(calibration.measurements)")
            XCTAssertLessThanOrEqual(calibration.parameters.memoryByteCount, 8192 * 1024 + 4096)
            XCTAssertTrue(calibration.measurements.contains { $0.parameters == calibration.parameters })
        }
    }

    func testAssessmentMatchesTheRecommendedPolicy() throws {
        let weak = try PasswordCalibration(of: .argon2id, target: .milliseconds(100), memoryKiB: 1024)
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

    func testInvalidTargetsAreRefused() throws {
        for attempt in [
            { try PasswordCalibration(of: .md5Crypt, target: .seconds(1)) },
            { try PasswordCalibration(of: .argon2id, target: .zero) },
            { try PasswordCalibration(of: .argon2id, target: .nanoseconds(1)) },
            { try PasswordCalibration(of: .yescrypt, target: .seconds(1), memoryKiB: 8) },
        ] {
            XCTAssertThrowsError(try attempt()) {
                XCTAssertEqual($0 as? PasswordError, .invalidParameters)
            }
        }
    }
}
