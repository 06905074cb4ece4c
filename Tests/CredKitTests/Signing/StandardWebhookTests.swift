// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

final class StandardWebhookTests: XCTestCase {
    // The example of the vectors.
    private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private let time = UnixTime(1_614_265_330)
    private var valid: WebhookSignature.Standard.Verification { .valid(id: id, timestamp: time) }
    private let body = Array(#"{"test": 2432232314}"#.utf8)
    private let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    private let otherSignature = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="

    private func verify(
        id: String? = nil,
        timestamp: String = "1614265330",
        signature: String? = nil,
        secrets: [String]? = nil,
        at now: UnixTime? = nil,
        tolerance: Duration = .seconds(300)
    ) throws -> WebhookSignature.Standard.Verification {
        let headers = headers(id ?? self.id, timestamp, signature ?? self.signature)
        return try WebhookSignature.Standard(secrets: secrets ?? [secret], tolerance: tolerance)
            .verify(body, at: now ?? time, headers: headers)
    }

    private func headers(
        _ id: String,
        _ timestamp: String,
        _ signature: String
    ) -> [(name: String, value: String)] {
        [
            ("Host", "example.org"), ("Webhook-Id", id), ("webhook-timestamp", timestamp),
            ("WEBHOOK-SIGNATURE", signature),
        ]
    }

    func testExampleOfStandardWebhooks() throws {
        let webhooks = try WebhookSignature.Standard(secrets: [secret])
        let headers = try webhooks.headers(for: body, id: id, at: time)
        XCTAssertEqual(headers.map(\.name), ["webhook-id", "webhook-timestamp", "webhook-signature"])
        XCTAssertEqual(headers.map(\.value), [id, "1614265330", signature])
        XCTAssertEqual(try verify(), valid)
        XCTAssertEqual(try verify(secrets: [String(secret.dropFirst(6))]), valid, "without the prefix")
        XCTAssertTrue(try verify().isValid)

        let vector = try XCTUnwrap(WebhookVector.load("standard"))
        XCTAssertEqual([vector.secret, vector.id, vector.signature], [secret, id, signature])
        XCTAssertEqual(vector.timestamp, time.seconds)
        XCTAssertEqual(Array(vector.body.utf8), body)
    }

    func testWindowHasTwoEdges() throws {
        for (offset, expected) in [
            (300, valid), (301, .invalid(.expired)), (-300, valid), (-301, .invalid(.inFuture)),
        ] {
            XCTAssertEqual(try verify(at: time + .seconds(offset)), expected, "\(offset)")
        }
        XCTAssertEqual(try verify(at: time + .seconds(1), tolerance: .zero), .invalid(.expired))
        XCTAssertEqual(try verify(at: time, tolerance: .seconds(-5)), valid)
        XCTAssertEqual(try verify(at: time + .seconds(60), tolerance: .seconds(60)), valid)
        for now in [UnixTime(.min), UnixTime(.max)] { XCTAssertFalse(try verify(at: now).isValid) }
    }

    func testSeveralSignatures() throws {
        let texts = [
            "\(otherSignature) v2,Ceo5 \(signature) \(otherSignature)", "v1a,AAAA \(signature)",
            "v1,broken \(signature)",
            "\(signature) \(signature)", "  \(signature)  ",
            Array(repeating: otherSignature, count: 15).joined(separator: " ") + " " + signature,
        ]
        for text in texts { XCTAssertEqual(try verify(signature: text), valid, text) }
        XCTAssertEqual(try verify(signature: "\(otherSignature) \(otherSignature)"), .invalid(.mismatch))
    }

    func testMalformedSignatures() throws {
        for text in [
            "", " ", "v1", "v1,", "v1,dawfeoifkpqwoekfpqoekf", "v1,g0hM9Ss",
            "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            signature + ",", signature + "\n", "v1,é", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OF=",
        ] {
            XCTAssertEqual(try verify(signature: text), .invalid(.malformedSignature), text)
        }
        for text in ["v2,AAAA", "v1a,AAAA v2,AAAA", "V1,AAAA"] {
            XCTAssertEqual(try verify(signature: text), .invalid(.unsupportedVersion), text)
        }
        let seventeen = Array(repeating: signature, count: 17).joined(separator: " ")
        XCTAssertEqual(try verify(signature: seventeen), .invalid(.limitExceeded))
    }

    func testMalformedTimesAndIdentifiers() throws {
        for text in [
            "", "hello", "-1", "+1614265330", "01614265330", "1614265330 ", "1614265330.0", "1e9", "１",
            "1234567890123",
        ] {
            XCTAssertEqual(try verify(timestamp: text), .invalid(.malformedTimestamp), text)
        }
        XCTAssertEqual(try verify(timestamp: "999999999999"), .invalid(.inFuture))
        XCTAssertEqual(try verify(timestamp: "0"), .invalid(.expired))
        for text in ["", "a.b", "a b", "é", "a\n", "\0"] {
            XCTAssertEqual(try verify(id: text), .invalid(.malformedID), text)
        }
    }

    func testEachHeaderOccursOnce() throws {
        let webhooks = try WebhookSignature.Standard(secrets: [secret])
        let headers = headers(id, "1614265330", signature)
        XCTAssertEqual(webhooks.verify(body, at: time, headers: headers.reversed()), valid)
        for (index, header) in headers.enumerated().dropFirst() {
            var changed = headers
            changed.remove(at: index)
            XCTAssertEqual(webhooks.verify(body, at: time, headers: changed), .invalid(.missingHeader))
            let other = (name: header.name.lowercased(), value: "1")
            for headers in [headers + [other], [other] + headers, headers + [header]] {
                XCTAssertEqual(webhooks.verify(body, at: time, headers: headers), .invalid(.repeatedHeader))
            }
            changed.append((name: "x-" + header.name, value: header.value))
            XCTAssertEqual(webhooks.verify(body, at: time, headers: changed), .invalid(.missingHeader))
        }
    }

    func testLongestIdentifierAndHeader() throws {
        let webhooks = try WebhookSignature.Standard(secrets: [secret])
        let id = String(repeating: "a", count: 256)
        let sent = try webhooks.headers(for: body, id: id, at: time)
        XCTAssertEqual(webhooks.verify(body, at: time, headers: sent), .valid(id: id, timestamp: time))
        XCTAssertEqual(try verify(id: id + "a"), .invalid(.limitExceeded))
        let longest = signature + String(repeating: " ", count: 4096 - signature.utf8.count)
        XCTAssertEqual(try verify(signature: longest), valid)
        XCTAssertEqual(try verify(signature: longest + " "), .invalid(.limitExceeded))
    }

    /// With the identifier `a.1`, the signed text would also be that of the identifier `a` and a longer body.
    func testOnlyUnambiguousMetadataIsSigned() throws {
        let webhooks = try WebhookSignature.Standard(secrets: [secret])
        for id in ["", "a.1", "a b", String(repeating: "a", count: 257)] {
            XCTAssertThrowsError(try webhooks.headers(for: body, id: id, at: time)) {
                XCTAssertEqual($0 as? SignatureError, .invalidMetadata)
            }
        }
        for time in [UnixTime(-1), UnixTime(1_000_000_000_000), UnixTime(.max)] {
            XCTAssertThrowsError(try webhooks.headers(for: body, id: id, at: time)) {
                XCTAssertEqual($0 as? SignatureError, .invalidMetadata)
            }
        }
    }

    func testEverythingSignedIsCovered() throws {
        XCTAssertEqual(try verify(id: id + "1"), .invalid(.mismatch))
        XCTAssertEqual(try verify(timestamp: "1614265331"), .invalid(.mismatch))
        let webhooks = try WebhookSignature.Standard(secrets: [secret])
        let headers = headers(id, "1614265330", signature)
        for index in body.indices {
            var changed = body
            changed[index] ^= 1
            let result = webhooks.verify(changed, at: time, headers: headers)
            XCTAssertEqual(result, .invalid(.mismatch))
        }
    }

    func testRandomHeadersAreNeverValid() throws {
        var random = SeededGenerator(seed: 17)
        let alphabet = "v1,a g0hM9SsE+/=2.\u{301}é\0"
        let webhooks = try WebhookSignature.Standard(secrets: [secret])
        for _ in 0..<20_000 {
            // Some are the valid header with one character changed.
            var characters = Array(signature)
            characters[Int.random(in: characters.indices, using: &random)] = try XCTUnwrap(
                alphabet.randomElement(using: &random)
            )
            let text =
                Bool.random(using: &random) ? String(characters) : random.text(of: alphabet, count: 0...60)
            if text == signature { continue }
            let result = webhooks.verify(body, at: time, headers: headers(id, "1614265330", text))
            XCTAssertFalse(result.isValid, text)
        }
    }
}
