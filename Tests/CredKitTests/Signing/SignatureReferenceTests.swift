// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Compares random messages with `signature_base.py`, a second implementation of signature bases.
final class SignatureReferenceTests: XCTestCase {
    private struct Reference: Decodable {
        let base, code: String?
    }

    private let created = UnixTime(1_700_000_000)

    func testBasesAndCodes() throws {
        let messages = try messages(count: 500, seed: 2)
        for (message, reference) in zip(messages, try references(messages)) {
            let signed = message.message(
                signatureInput: message.signatureInput,
                signature: message.signature
            )
            let received = try XCTUnwrap(MessageSignature.Received.all(in: signed).first)
            let base = try received.input().signatureBase(of: signed)
            XCTAssertEqual(String(decoding: base, as: UTF8.self), reference.base)
            guard message.algorithm == "hmac-sha256" else { continue }
            XCTAssertEqual(Base64.standard.encode(received.signature), reference.code)
        }
    }

    /// One byte of what a covered component is taken from is changed: the signature is refused unless the second
    /// implementation says that the RFC normalizes the change away.
    func testChangedSources() throws {
        var generator = SeededGenerator(seed: 3)
        let originals = try messages(count: TestForm.isDeep ? 250 : 60, seed: 4)
        var (changed, names): ([RandomSignedMessage], [String]) = ([], [])
        for original in originals {
            for _ in 0..<20 {
                var message = original
                names.append(try message.changeSource(&generator))
                changed.append(message)
            }
        }
        let expected = try references(originals)
        let references = try references(changed)
        XCTAssertEqual(references.count, changed.count)
        var normalized: [String: Int] = [:]
        for (index, message) in changed.enumerated() {
            let isSame = references[index].base == expected[index / 20].base
            let isAccepted = try isAccepted(message)
            XCTAssertEqual(isAccepted, isSame, "\(names[index]): \(message)")
            if isAccepted { normalized[names[index], default: 0] += 1 }
        }
        // The case of a host and a scheme, zeros before a port, an empty path, white space around a value, a space as `+`,
        // other parameters of the query, and what `sf` and `key` leave out.
        let possible: Set = [
            "@authority", "@scheme", "@query-param", "@path", "@target-uri", "@request-target",
            "content-digest", "priority", "x-dictionary", "x-plain",
            "x-other", "x-bytes", "accept", "date",
        ]
        XCTAssertTrue(possible.isSuperset(of: normalized.keys), "\(normalized)")
        XCTAssertLessThan(normalized.values.reduce(0, +), changed.count / 8, "\(normalized)")
    }

    private func isAccepted(_ message: RandomSignedMessage) throws -> Bool {
        let key = try message.signingKey().verificationKey
        let verifier = try MessageSignature.Verifier(requiring: message.covered())
        let signed = message.message(
            signatureInput: message.signatureInput,
            signature: message.signature
        )
        guard case .valid = verifier.verify(signed, at: created, key: { _ in key }) else { return false }
        return true
    }

    private func messages(count: Int, seed: UInt64) throws -> [RandomSignedMessage] {
        var generator = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in
            try RandomSignedMessage(created: created.seconds, &generator)
        }
    }

    private func references(_ messages: [RandomSignedMessage]) throws -> [Reference] {
        let command = ["python3", TestScripts.path("signature_base.py")]
        let outcome = try Program.succeed(command, input: JSONEncoder().encode(messages))
        return try JSONDecoder().decode([Reference].self, from: outcome.output)
    }
}
