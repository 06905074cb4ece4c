// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Verifies the response of a browser to a login with a passkey, from its JSON to the record to store, and compares the processor
/// time with that of OpenSSL for the signature alone. Both import the public key from the bytes that are stored.
enum PasskeyComparison {
    private static let userHandle = [UInt8](repeating: 0x75, count: 32)

    static func measure() throws -> [Outcome] {
        try [
            comparison(.es256, "es256", "ES256").measure(),
            comparison(.rs256, "rs256", "RS256 with 2,048 bits").measure(),
            comparison(.edDSA, "eddsa", "EdDSA over Ed25519").measure(),
        ]
    }

    private static func comparison(_ algorithm: WebAuthn.Algorithm, _ id: String, _ name: String) throws
        -> Comparison
    {
        let site = try WebAuthn.RelyingParty(
            id: SampleAuthenticator.site,
            name: "Example",
            origins: [SampleAuthenticator.origin]
        )
        let assertion = PasskeyAssertion(
            relyingParty: site,
            challenge: .random(expiry: UnixTime.now + .seconds(86_400))
        )
        let authenticator = try SampleAuthenticator(algorithm, number: 1)
        let record = authenticator.record(userHandle: userHandle)
        let challenge = Base64.urlSafe.unpadded.encode(assertion.challenge.bytes)
        let answer = try authenticator.answer(challenge, userHandle: userHandle)
        // Another message's, so that a wrong one is refused by both.
        let other = try authenticator.answer("other", userHandle: userHandle)
        let wrong = try authenticator.answer(
            challenge,
            userHandle: userHandle,
            signature: other.signature
        )
        let refused = try PasskeyAssertion.Response(json: wrong.json)
        guard authenticator.verify(answer), !authenticator.verify(wrong),
            (try? assertion.verify(refused, of: record)) == nil
        else { throw Failure(description: "a wrong signature is accepted, or a right one refused") }

        let ours = "PasskeyAssertion"
        let theirs = "OpenSSL, import and signature alone"
        return Comparison(
            id: "passkeys-\(id)",
            title: "A login with a passkey, \(name), \(answer.json.count) bytes of JSON: processor time",
            contenders: [
                Contender(ours, byteCount: 0) { iterations in
                    for _ in 0..<iterations {
                        let response = try PasskeyAssertion.Response(json: answer.json)
                        _ = try assertion.verify(response, of: record)
                    }
                },
                Contender(theirs, byteCount: 0) { iterations in
                    guard authenticator.verify(answer, iterations: iterations) else {
                        throw Failure(description: "OpenSSL refuses the signature")
                    }
                },
                Contender("PasskeyAssertion.Response alone, without a verification", byteCount: 0) {
                    iterations in
                    for _ in 0..<iterations { _ = try PasskeyAssertion.Response(json: answer.json) }
                },
            ],
            claims: [.time("passkeys-\(id)", ours, theirs, atMost: 1.3)],
            // A sample takes 2 ms.
            rounds: 101
        )
    }
}
