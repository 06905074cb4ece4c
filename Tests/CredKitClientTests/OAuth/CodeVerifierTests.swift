// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

@testable import CredKitClient

struct CodeVerifierTests {
    /// RFC 7636, appendix B.
    @Test func challengeIsThatOfTheStandard() throws {
        let verifier = CodeVerifier(secret: try SecretBytes("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func verifiersAreRandomTextOfBase64() throws {
        let texts = try (0..<100).map { _ in try CodeVerifier().secret.text }
        #expect(Set(texts).count == 100)
        for text in texts {
            let bytes = try Base64.urlSafe.unpadded.decode(text)
            #expect(bytes.count == 32)
        }
    }
}
