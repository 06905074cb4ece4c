// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Compares signatures of random parameters in random formats, and of random webhooks, with Python's hashlib and hmac.
final class SignaturePeerTests: XCTestCase {
    private typealias Signature = Legacy.SortedParameterSignature

    private struct Case: Decodable {
        let delimited, uppercase, omitsEmpty: Bool
        let digest, position, separator, prefix, secret, signature: String
        let excluded: [String]
        let parameters: [[String]]
        let webhookSecret, body, id, webhookSignature, stripeSignature, hubSignature: String
        let timestamp: Int64

        var secretPosition: Signature.SecretPosition? {
            switch position {
            case "suffix": .suffix(separator: separator)
            case "start": .prefix(separator: separator)
            case "both": .prefixAndSuffix
            default: nil
            }
        }

        var algorithm: Signature.Algorithm? {
            switch digest {
            case "md5": secretPosition.map { .md5(secret: $0) }
            case "hmac-md5": .hmacMD5(secretInText: secretPosition)
            default: .hmacSHA256(secretInText: secretPosition)
            }
        }
    }

    func testAgreesWithPython() throws {
        let count = 300
        let command = ["python3", TestScripts.path("signatures.py"), "\(count)", "2026"]
        let lines = try Program.succeed(command).output.split(separator: UInt8(ascii: "\n"))
        XCTAssertEqual(lines.count, count)
        for line in lines {
            let vector = try JSONDecoder().decode(Case.self, from: Data(line))
            try checkParameters(vector)
            try checkWebhooks(vector)
        }
    }

    private func checkParameters(_ vector: Case) throws {
        var format = Signature.Format(
            vector.delimited ? .delimited : .concatenated,
            try XCTUnwrap(vector.algorithm)
        )
        format.prefix = vector.prefix
        format.isUppercase = vector.uppercase
        format.omitsEmptyValues = vector.omitsEmpty
        format.excludedNames = vector.excluded
        let signer = try Signature(secret: vector.secret, format: format)
        let parameters = vector.parameters.map { (key: $0[0], value: $0[1]) }
        XCTAssertEqual(try signer.signature(of: parameters), vector.signature, "\(vector)")
        let signed = parameters.filter {
            !vector.excluded.contains($0.key) && !(vector.omitsEmpty && $0.value.isEmpty)
        }
        let verified = signer.verified(parameters + [(key: "sign", value: vector.signature)])
        XCTAssertEqual(verified?.count, signed.isEmpty ? nil : signed.count, "\(vector)")
    }

    private func checkWebhooks(_ vector: Case) throws {
        let body = try Hex.decode(vector.body)
        let standard = try WebhookSignature.Standard(secrets: [vector.webhookSecret])
        let headers = try standard.headers(for: body, id: vector.id, at: UnixTime(vector.timestamp))
        XCTAssertEqual(headers.map(\.value), [vector.id, "\(vector.timestamp)", vector.webhookSignature])
        let time = UnixTime(vector.timestamp)
        XCTAssertEqual(
            standard.verify(body, at: time, headers: headers),
            .valid(id: vector.id, timestamp: time)
        )
        let stripe = try WebhookSignature.Stripe(secrets: [vector.webhookSecret])
        XCTAssertEqual(try stripe.signature(of: body, at: time), vector.stripeSignature)
        XCTAssertEqual(
            stripe.verify(body, at: time, headers: [("Stripe-Signature", vector.stripeSignature)]),
            .valid(timestamp: time)
        )
        let github = try WebhookSignature.GitHub(secrets: [vector.webhookSecret])
        XCTAssertEqual(github.signature(of: body), vector.hubSignature)
        XCTAssertEqual(github.verify(body, headers: [("X-Hub-Signature-256", vector.hubSignature)]), .valid)
    }
}
