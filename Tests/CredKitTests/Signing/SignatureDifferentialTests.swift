// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Signs random messages here and with http-message-signatures for Python, and verifies each with the other.
final class SignatureDifferentialTests: XCTestCase {
    private struct Result: Decodable {
        let problem, signatureInput, signature: String
    }

    func testAgreesWithPython() throws {
        var generator = SeededGenerator(seed: 9421)
        // Python verifies with its own clock.
        let created = UnixTime.now.seconds
        var cases: [RandomSignedMessage] = []
        for index in 0..<500 {
            cases.append(try RandomSignedMessage(created: created - Int64(index % 2), &generator))
        }
        let results = try python(cases)
        XCTAssertEqual(results.count, 500)
        for (test, result) in zip(cases, results) {
            let text = "\(test)"
            XCTAssertEqual(result.problem, "", text)
            let key = try test.signingKey().verificationKey
            let message = test.message(
                signatureInput: result.signatureInput,
                signature: result.signature
            )
            let verifier = try MessageSignature.Verifier(requiring: test.covered())
            switch verifier.verify(message, at: UnixTime(test.created), key: { _ in key }) {
            case .valid(let signature): XCTAssertEqual(signature.nonce, "from python")
            case .invalid(let refusal): XCTFail("\(refusal): \(text)")
            }
        }
    }

    private func python(_ cases: [RandomSignedMessage]) throws -> [Result] {
        let command = [try TestScripts.installedPython(), TestScripts.path("message_signatures.py")]
        let outcome = try Program.succeed(command, input: JSONEncoder().encode(cases))
        return try JSONDecoder().decode([Result].self, from: outcome.output)
    }
}
