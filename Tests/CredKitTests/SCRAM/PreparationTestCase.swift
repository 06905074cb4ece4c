// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKit

/// Tests of the preparations of SCRAM, with `preparation.py` to compare with.
class PreparationTestCase: XCTestCase {
    /// Returns the prepared bytes, or `nil` if they are refused.
    func prepared(_ text: [UInt8], by preparation: SCRAM.Preparation) throws -> [UInt8]? {
        let result: SecretBytes?
        do throws(SCRAM.Error) {
            result = try preparation.apply(to: text.span)
        } catch {
            guard error == .textNotAllowed else { throw error }
            return nil
        }
        guard let result else { return text }
        let bytes = result.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
        XCTAssertNotEqual(bytes, text, "a copy was made of \(text)")
        return bytes
    }

    func prepared(_ text: String, by preparation: SCRAM.Preparation) throws -> [UInt8]? {
        try prepared(Array(text.utf8), by: preparation)
    }

    /// Returns the lines that `preparation.py` prints, divided at spaces.
    func python(_ arguments: String..., input: String = "") throws -> [[Substring]] {
        let command = ["python3", TestScripts.path("preparation.py")] + arguments
        let text = try Program.succeed(command, input: Data(input.utf8)).text
        return text.split(separator: "\n").map { $0.split(separator: " ") }
    }
}
