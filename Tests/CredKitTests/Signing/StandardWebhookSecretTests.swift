// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class StandardWebhookSecretTests: XCTestCase {
    // The example of the vectors.
    private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private let time = UnixTime(1_614_265_330)
    private let body = Array(#"{"test": 2432232314}"#.utf8)
    private let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private func verify(_ signature: String, _ secrets: [String]) throws
        -> WebhookSignature.Standard.Verification
    {
        let headers: [(name: String, value: String)] = [
            ("webhook-id", id), ("webhook-timestamp", "1614265330"), ("webhook-signature", signature),
        ]
        return try WebhookSignature.Standard(secrets: secrets).verify(body, at: time, headers: headers)
    }

    func testSecretsRotate() throws {
        let other = "whsec_" + Base64.standard.encode([UInt8](repeating: 7, count: 32))
        let both = try WebhookSignature.Standard(secrets: [other, secret])
        let headers = try both.headers(for: body, id: id, at: time)
        let text = try XCTUnwrap(headers.last?.value)
        XCTAssertEqual(text.split(separator: " ").count, 2, "each secret signs")
        XCTAssertEqual(text.split(separator: " ").last.map(String.init), signature)
        for secrets in [[other], [secret], [secret, other]] {
            XCTAssertEqual(try verify(text, secrets), .valid(id: id, timestamp: time))
        }
        XCTAssertEqual(
            try verify(signature, [other, secret]),
            .valid(id: id, timestamp: time),
            "a sender that has only the old secret"
        )
        XCTAssertEqual(try verify(signature, [other]), .invalid(.mismatch))
    }

    func testMalformedSecrets() throws {
        let key = [UInt8](repeating: 1, count: 24)
        let malformed = [
            [], [""], ["whsec_"], ["whsec_MfKQ"], ["whsec_!!!!9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], [secret, ""],
            ["whsec_" + Base64.standard.encode([UInt8](repeating: 1, count: 23))],
            ["whsec_" + Base64.standard.encode([UInt8](repeating: 1, count: 65))],
            [String(repeating: "A", count: 1 << 20)], Array(repeating: secret, count: 9),
        ]
        for secrets in malformed {
            XCTAssertThrowsError(try WebhookSignature.Standard(secrets: secrets)) {
                XCTAssertEqual($0 as? SignatureError, .invalidSecret)
            }
        }
        XCTAssertThrowsError(try WebhookSignature.Standard(keys: [[UInt8]()])) {
            XCTAssertEqual($0 as? SignatureError, .invalidSecret)
        }
        let longest = "whsec_" + Base64.standard.encode([UInt8](repeating: 1, count: 64))
        XCTAssertNoThrow(try WebhookSignature.Standard(secrets: [longest, Base64.standard.encode(key)]))
        let short = try WebhookSignature.Standard(keys: ["short"])
        XCTAssertEqual("\(short)", "‹redacted›")
        XCTAssertEqual(String(reflecting: short), "‹redacted›")
        XCTAssertTrue(Mirror(reflecting: short).children.isEmpty)
    }
}
