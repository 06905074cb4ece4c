// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Compares signing and verifying a GET request with five components under HMAC-SHA-256 (RFC 9421) with Python's
/// http-message-signatures, and with the HMAC alone.
enum SigningComparisons {
    private static let count = 10_000

    static func measure(_ options: Options) throws -> [Outcome] {
        let python = try CoProcess("python", [options.python, options.pythonSigningWorker])
        let key = try MessageSignature.SigningKey.hmacSHA256([UInt8](repeating: 7, count: 32))
        let components: [MessageSignature.Component] = [
            .method, .authority, .path, .query, try .field("accept"),
        ]
        let signer = try MessageSignature.Signer(key: key, keyID: "k1", covering: components)
        let request = MessageSignature.Request(
            method: "GET",
            authority: "api.example.com",
            path: "/students",
            query: "class=666&page=2",
            fields: [.init("Accept", "application/json"), .init("User-Agent", "benchmark")]
        )
        let signed = try signer.sign(.request(request))
        var received = request
        received.fields += [
            .init("Signature-Input", signed.signatureInput), .init("Signature", signed.signature),
        ]
        let message = MessageSignature.Message.request(received)
        let verifier = try MessageSignature.Verifier(requiring: components)
        let base = try MessageSignature.Received.all(in: message)[0].input().signatureBase(of: message)
        return try [
            outcome("sign", "Signing a request", goal: 50, python, base, key) {
                for _ in 0..<count { _ = try signer.sign(.request(request)) }
            },
            outcome("verify", "Verifying a signed request", goal: 50, python, base, key) {
                for _ in 0..<count {
                    guard case .valid = verifier.verify(message, key: { _ in key.verificationKey }) else {
                        throw Failure(description: "the signature is not valid")
                    }
                }
            },
        ]
    }

    private static func outcome(
        _ name: String,
        _ title: String,
        goal: Double?,
        _ python: CoProcess,
        _ base: [UInt8],
        _ key: MessageSignature.SigningKey,
        _ body: @escaping () throws -> Void
    ) throws -> Outcome {
        let (ours, theirs, bare) = ("MessageSignature", "http-message-signatures", "HMAC of the base alone")
        return try Comparison(
            id: "signing-\(name)",
            title: "\(title): 5 components, \(base.count) bytes of base",
            contenders: [
                Contender(name: ours) { try sample(body) },
                Contender(name: theirs) {
                    Sample(seconds: try python.seconds(name, size: 0, iterations: 300) / 300)
                },
                Contender(name: bare) {
                    try sample { for _ in 0..<count { _ = try key.sign(base) } }
                },
            ],
            claims: [
                .speed("signing-\(name)", ours, theirs, atLeast: goal),
                .time("signing-\(name)-bare", ours, bare, atMost: nil),
            ],
            rounds: 11
        ).measure()
    }

    private static func sample(_ body: () throws -> Void) throws -> Sample {
        var failure: (any Error)?
        let time = ContinuousClock().measure {
            do { try body() } catch { failure = error }
        }
        if let failure { throw failure }
        return Sample(seconds: time / .seconds(1) / Double(count))
    }
}
