// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

final class GitHubWebhookTests: XCTestCase {
    private struct Case: Decodable {
        let algorithm: String
        let key, message: HexBytes
        let code: String
        let truncated: Bool?
    }

    private let body = Array("Hello, World!".utf8)

    private func webhooks(_ secrets: String...) throws -> WebhookSignature.GitHub {
        try WebhookSignature.GitHub(secrets: secrets)
    }

    private func header(_ value: String) -> [(name: String, value: String)] {
        [("Host", "example.org"), ("x-hub-signature-256", value)]
    }

    func testExampleOfGitHub() throws {
        let vector = try XCTUnwrap(WebhookVector.load("github"))
        let webhooks = try webhooks(vector.secret)
        XCTAssertEqual(webhooks.signature(of: vector.body.utf8), vector.signature)
        XCTAssertEqual(webhooks.verify(vector.body.utf8, headers: header(vector.signature)), .valid)
        let uppercase = "sha256=" + vector.signature.dropFirst(7).uppercased()
        XCTAssertEqual(webhooks.verify(vector.body.utf8, headers: header(uppercase)), .valid)
    }

    func testVectorsOfRFC4231() throws {
        let cases = try VectorFile<Case>.load("rfc4231-hmac").cases.filter {
            $0.algorithm == "SHA256" && $0.truncated != true
        }
        XCTAssertGreaterThanOrEqual(cases.count, 6)
        for vector in cases {
            let webhooks = try WebhookSignature.GitHub(secrets: [vector.key.bytes])
            XCTAssertEqual(webhooks.signature(of: vector.message.bytes), "sha256=" + vector.code)
            let result = webhooks.verify(vector.message.bytes, headers: header("sha256=" + vector.code))
            XCTAssertEqual(result, .valid)
        }
    }

    func testOneChangedByteIsAMismatch() throws {
        let webhooks = try webhooks("secret")
        let signature = webhooks.signature(of: body)
        for index in body.indices {
            var changed = body
            changed[index] ^= 0x20
            XCTAssertEqual(webhooks.verify(changed, headers: header(signature)), .invalid(.mismatch))
        }
        for index in 7..<signature.utf8.count {
            var changed = Array(signature.utf8)
            changed[index] = changed[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            let text = String(decoding: changed, as: UTF8.self)
            XCTAssertEqual(webhooks.verify(body, headers: header(text)), .invalid(.mismatch))
        }
        XCTAssertEqual(
            try self.webhooks("Secret").verify(body, headers: header(signature)),
            .invalid(.mismatch)
        )
        XCTAssertEqual(webhooks.verify([], headers: header(signature)), .invalid(.mismatch))
    }

    func testMalformedHeaders() throws {
        let webhooks = try webhooks("secret")
        let signature = webhooks.signature(of: body)
        let hex = signature.dropFirst(7)
        let malformed = [
            "", "sha256=", "sha256", String(hex), "sha1=\(hex)", "SHA256=\(hex)", " \(signature)",
            "\(signature) ",
            "\(signature)00", String(signature.dropLast()), "sha256=\(hex.dropLast(2))é",
            "sha256=\(hex.dropLast())g",
            "\(signature),\(signature)", String(repeating: "sha256=", count: 100_000),
        ]
        for text in malformed {
            XCTAssertEqual(
                webhooks.verify(body, headers: header(text)),
                .invalid(.malformedSignature),
                String(text.prefix(80))
            )
        }
        XCTAssertEqual(webhooks.verify(body, headers: []), .invalid(.missingHeader))
    }

    func testTheHeaderOccursOnce() throws {
        let webhooks = try webhooks("secret")
        let signature = webhooks.signature(of: body)
        for name in ["X-Hub-Signature-256", "x-hub-signature-256", "X-HUB-SIGNATURE-256"] {
            let once = [(name: name, value: signature)]
            XCTAssertEqual(webhooks.verify(body, headers: once), .valid)
            for other in [signature, "", "sha256=00"] {
                let headers = header(other)
                XCTAssertEqual(webhooks.verify(body, headers: once + headers), .invalid(.repeatedHeader))
                XCTAssertEqual(webhooks.verify(body, headers: headers + once), .invalid(.repeatedHeader))
            }
        }
        for name in [
            "X-Hub-Signature", "X-Hub-Signature-2567", "X-Hub-Signature-256 ", "X_Hub_Signature_256", "",
        ] {
            XCTAssertEqual(
                webhooks.verify(body, headers: [(name, signature)]),
                .invalid(.missingHeader),
                name
            )
        }
    }

    func testSecretsRotate() throws {
        let (old, new, both) = (try webhooks("old"), try webhooks("new"), try webhooks("new", "old"))
        XCTAssertEqual(both.signature(of: body), new.signature(of: body), "the first one signs")
        for sender in [old, new] {
            let signature = sender.signature(of: body)
            XCTAssertEqual(both.verify(body, headers: header(signature)), .valid)
        }
        let signature = try webhooks("other").signature(of: body)
        XCTAssertEqual(both.verify(body, headers: header(signature)), .invalid(.mismatch))
    }

    func testSecretsAreRequiredAndNotPrinted() throws {
        let many = (0...WebhookSignature.maximumSecretCount).map { "secret \($0)" }
        for secrets in [[], [""], ["a", ""], many] {
            XCTAssertThrowsError(try WebhookSignature.GitHub(secrets: secrets)) {
                XCTAssertEqual($0 as? SignatureError, .invalidSecret)
            }
        }
        let webhooks = try WebhookSignature.GitHub(secrets: many.dropLast())
        XCTAssertEqual("\(webhooks)", "‹redacted›")
        XCTAssertEqual(String(reflecting: webhooks), "‹redacted›")
        XCTAssertTrue(Mirror(reflecting: webhooks).children.isEmpty)
    }
}
