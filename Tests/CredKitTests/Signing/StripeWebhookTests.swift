// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

@Suite struct StripeWebhookTests {
    private typealias Verification = WebhookSignature.Stripe.Verification

    // The example of the vectors.
    private let secret = "whsec_test_secret"
    private let body = Array(#"{"id": "evt_1", "object": "event"}"#.utf8)
    private let time = UnixTime(1_492_774_577)
    private let digits = "09357d4fb8d9eba6f07fdea6b2428fa819063ec7bb7f9eca18b88cf0ff729476"
    private let otherDigits = String(repeating: "0", count: 64)
    private var signature: String { "t=1492774577,v1=\(digits)" }

    private func verify(
        _ signature: String,
        secrets: [String]? = nil,
        at now: UnixTime? = nil,
        tolerance: Duration = .seconds(300)
    ) throws -> Verification {
        let headers = [(name: "Host", value: "example.org"), (name: "stripe-signature", value: signature)]
        return try WebhookSignature.Stripe(secrets: secrets ?? [secret], tolerance: tolerance)
            .verify(body, at: now ?? time, headers: headers)
    }

    @Test func exampleOfTheVectors() throws {
        let vector = try #require(try WebhookVector.load("stripe"))
        #expect(vector.secret == secret)
        #expect(vector.timestamp == time.seconds)
        #expect(Array(vector.body.utf8) == body)
        #expect(vector.signature == signature)
        let webhooks = try WebhookSignature.Stripe(secrets: [secret])
        #expect(try webhooks.signature(of: body, at: time) == signature)
        #expect(try verify(signature) == .valid(timestamp: time))
        #expect(try verify("t=1492774577,v1=\(digits.uppercased())") == .valid(timestamp: time))
    }

    @Test func windowHasTwoEdges() throws {
        let valid = Verification.valid(timestamp: time)
        #expect(try verify(signature, at: time + .seconds(300)) == valid)
        #expect(try verify(signature, at: time + .seconds(301)) == .invalid(.expired))
        #expect(try verify(signature, at: time - .seconds(300)) == valid)
        #expect(try verify(signature, at: time - .seconds(301)) == .invalid(.inFuture))
        #expect(try verify(signature, at: time + .seconds(1), tolerance: .zero) == .invalid(.expired))
        #expect(try verify(signature, tolerance: .seconds(-5)) == valid)
        for now in [UnixTime(.min), UnixTime(.max)] {
            #expect(try !verify(signature, at: now).isValid)
        }
    }

    @Test func severalSignatures() throws {
        for text in [
            "t=1492774577,v1=\(otherDigits),v1=\(digits)", "v1=\(digits),t=1492774577",
            "t=1492774577,v1=\(digits),v0=\(otherDigits)", "t=1492774577,v1=short,v1=\(digits)",
            "t=1492774577," + String(repeating: "v1=\(otherDigits),", count: 15) + "v1=\(digits)",
        ] {
            #expect(try verify(text) == .valid(timestamp: time), "\(text)")
        }
        #expect(try verify("t=1492774577,v1=\(otherDigits),v0=\(digits)") == .invalid(.mismatch))
    }

    @Test(
        arguments: [
            ("", .malformedTimestamp), ("v1=\(String(repeating: "0", count: 64))", .malformedTimestamp),
            ("t=,v1=", .malformedTimestamp), ("t=-1,v1=", .malformedTimestamp),
            ("t=01492774577,v1=", .malformedTimestamp), ("t= 1492774577,v1=", .malformedTimestamp),
            ("t=1492774577,t=1492774577,v1=", .malformedTimestamp), ("T=1492774577,v1=", .malformedTimestamp),
            ("t=1492774577", .malformedSignature), ("t=1492774577,", .malformedSignature),
            ("t=1492774577,v1=", .malformedSignature), ("t=1492774577,v1=00,v0=00", .malformedSignature),
            ("t=1492774577,v0=00", .unsupportedVersion), ("t=1492774577,v2=00", .unsupportedVersion),
            ("t=1492774577" + String(repeating: ",v1=0", count: 17), .limitExceeded),
            ("t=1492774577,v1=" + String(repeating: "0", count: 4096), .limitExceeded),
        ] as [(String, WebhookSignature.Reason)]
    )
    func malformedHeaders(_ text: String, _ reason: WebhookSignature.Reason) throws {
        #expect(try verify(text) == .invalid(reason))
    }

    @Test func everythingSignedIsCovered() throws {
        let webhooks = try WebhookSignature.Stripe(secrets: [secret])
        let headers = [(name: "Stripe-Signature", value: signature)]
        for index in body.indices {
            var changed = body
            changed[index] ^= 1
            #expect(webhooks.verify(changed, at: time, headers: headers) == .invalid(.mismatch))
        }
        #expect(try verify("t=1492774578,v1=\(digits)") == .invalid(.mismatch))
        #expect(webhooks.verify(body, at: time, headers: headers + headers) == .invalid(.repeatedHeader))
        #expect(webhooks.verify(body, at: time, headers: []) == .invalid(.missingHeader))
    }

    @Test func secretsRotate() throws {
        let both = try WebhookSignature.Stripe(secrets: ["new", secret])
        let sent = try both.signature(of: body, at: time)
        #expect(sent.hasPrefix("t=1492774577,v1=") && sent.hasSuffix(",v1=\(digits)"))
        for secrets in [["new"], [secret], ["other", "new"]] {
            #expect(try verify(sent, secrets: secrets) == .valid(timestamp: time))
        }
        #expect(try verify(signature, secrets: ["new"]) == .invalid(.mismatch))
    }

    @Test func invalidSecretsAndTimesAreErrors() throws {
        let many = (0...WebhookSignature.maximumSecretCount).map { "secret \($0)" }
        for secrets in [[], [""], ["a", ""], many] {
            #expect(throws: SignatureError.invalidSecret) { try WebhookSignature.Stripe(secrets: secrets) }
        }
        let webhooks = try WebhookSignature.Stripe(secrets: many.dropLast())
        for time in [UnixTime(-1), UnixTime(1_000_000_000_000)] {
            #expect(throws: SignatureError.invalidMetadata) { try webhooks.signature(of: body, at: time) }
        }
        #expect("\(webhooks)" == "‹redacted›")
        #expect(String(reflecting: webhooks) == "‹redacted›")
        #expect(Mirror(reflecting: webhooks).children.isEmpty)
    }
}
