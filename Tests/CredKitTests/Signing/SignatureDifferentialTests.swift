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
        let files = ["in", "out"].map {
            FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\($0)")
        }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        try JSONEncoder().encode(cases).write(to: files[0])
        try Data().write(to: files[1])
        let process = Process()
        process.executableURL = TestScripts.python
        process.arguments = [TestScripts.path("message_signatures.py")]
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        do {
            try process.run()
        } catch {
            XCTFail("there is no .build-python: run script/python-environment first")
            throw error
        }
        process.waitForExit()
        XCTAssertEqual(process.terminationStatus, 0)
        return try JSONDecoder().decode([Result].self, from: Data(contentsOf: files[1]))
    }
}
