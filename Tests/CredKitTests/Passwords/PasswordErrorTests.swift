// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class PasswordErrorTests: XCTestCase {
    private struct DatabaseError: Error {}

    func testErrorsAreEqualByTheirCodes() {
        XCTAssertEqual(PasswordError(.overLimit, message: "one"), .overLimit)
        XCTAssertNotEqual(PasswordError(.overLimit, message: "one"), .malformed)
        let own = PasswordError.Code(rawValue: "quotaExceeded")
        XCTAssertEqual(
            PasswordError(own, message: "a"),
            PasswordError(.init(rawValue: "quotaExceeded"), message: "b")
        )
        XCTAssertNotEqual(PasswordError(own, message: "a"), .overLimit)
    }

    func testErrorsAreCaughtByNameAndByCode() {
        var caught: [String] = []
        for hash in ["$argon2d$", "nonsense", "$5$$"] {
            do throws(PasswordError) {
                _ = try PasswordHash(hash)
            } catch .unrecognized {
                caught.append("unrecognized")
            } catch  where error.code == .malformed {
                caught.append("malformed: \(error.message == error.description)")
            } catch {
                caught.append("\(error)")
            }
        }
        XCTAssertEqual(caught, ["malformed: true", "unrecognized", "malformed: true"])
    }

    func testErrorCarriesItsMessageAndItsCause() {
        let error = PasswordError(
            .backendFailed,
            message: "cannot reach the table",
            underlying: DatabaseError()
        )
        XCTAssertEqual(error.message, "cannot reach the table")
        XCTAssertEqual("\(error)", "cannot reach the table")
        XCTAssertTrue(error.underlying is DatabaseError)
        XCTAssertNil(PasswordError.busy.underlying)
        XCTAssertEqual(MemoryLayout<PasswordError>.size, MemoryLayout<UnsafeRawPointer>.size)
    }

    func testEveryCodeHasAMessage() {
        for error in [
            PasswordError.malformed, .unrecognized, .unsupported, .overLimit, .refused, .passwordTooLong,
            .passwordContainsNUL, .passwordNotAllowed, .invalidParameters, .unknownKey, .pepperRequired,
            .outOfMemory, .backendFailed, .busy, .cancelled, .unreadableBlocklist, .malformedBlocklist,
            .changedBlocklist, .fullFilter, .unwritableFilter,
        ] {
            XCTAssertGreaterThan(error.message.count, 8, "\(error.code)")
        }
    }

    func testOverLimitNamesBothAmounts() throws {
        var limits = PasswordLimits(memory: .mebibytes(1))
        XCTAssertThrowsError(
            try PasswordContext(policy: .recommended, limits: limits)
        ) {
            XCTAssertEqual(
                "\($0)",
                "over the limit: the hash requires 19 MiB of memory, but only 1 MiB is allowed"
            )
        }
        limits = PasswordLimits(computationTime: .milliseconds(1))
        XCTAssertThrowsError(try PasswordContext(policy: .recommended, limits: limits)) {
            XCTAssertEqual(
                "\($0)",
                "over the limit: the hash requires more computation than the allowed 0.001 seconds"
            )
        }
    }

    func testArgon2idParametersAreChecked() throws {
        XCTAssertEqual(
            try PasswordParameters.argon2id(memory: .mebibytes(19), passes: 2, lanes: 1),
            PasswordPolicy.owasp2023.preferred
        )
        for attempt in [
            { try PasswordParameters.argon2id(lanes: 4) }, { try .argon2id(lanes: 0) },
            { try .argon2id(memory: .bytes(19 * 1024 + 1)) }, { try .argon2id(memory: .bytes(-1)) },
        ] {
            XCTAssertThrowsError(try attempt()) { XCTAssertEqual($0 as? PasswordError, .invalidParameters) }
        }
    }
}
