// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport
import Foundation
import XCTest

/// Verifies random requests that http-message-signatures for Python has signed.
final class RequestPeerTests: XCTestCase {
    private struct Case: Encodable {
        let method, url, query, keyID, nonce, algorithm, key, content: String
        let created, lifetime: Int64
    }

    private let requests = SignedRequests()

    func testRequestsSignedByPythonAreVerifiedOnce() async throws {
        let (secret, seed) = (SecureRandom.bytes(count: 32), SecureRandom.bytes(count: 32))
        let keys: SignedRequests.Keys = [
            "hmac": try .hmacSHA256(secret),
            "ed": try MessageSignature.SigningKey.ed25519(seed).verificationKey,
        ]
        let cases = (0..<200).map { index in
            let query = ["", "a=b", "id=7&name=%E4%BD%A0", "q=a+b%20c"][index / 2 % 4]
            let content = index.isMultiple(of: 3) ? [] : SecureRandom.bytes(count: Int.random(in: 1...2000))
            return Case(
                method: ["GET", "POST", "DELETE"][index % 3],
                url: "https://Example.com/a/\(index)?\(query)",
                query: query,
                keyID: index.isMultiple(of: 2) ? "hmac" : "ed",
                nonce: "nonce \(index)",
                algorithm: index.isMultiple(of: 2) ? "hmac-sha256" : "ed25519",
                key: Hex.encode(index.isMultiple(of: 2) ? secret : seed),
                content: Hex.encode(content),
                created: requests.now.seconds - Int64(index),
                lifetime: 250
            )
        }
        let verifier = try requests.verifier(
            tag: "requests",
            store: requests.store(perAccountLimit: 200),
            keys: keys
        )
        let fields = try sign(cases)
        XCTAssertEqual(fields.count, cases.count)
        for (test, fields) in zip(cases, fields) {
            let request = MessageSignature.Request(
                method: test.method,
                authority: "example.com",
                path: String(test.url.dropFirst("https://Example.com".count).prefix { $0 != "?" }),
                query: test.query,
                fields: fields.map { MessageSignature.Field($0[0], $0[1]) }
            )
            let result = try await verifier.verify(request, mayHaveContent: false, at: requests.now)
            guard case .verified(let verified) = result else {
                XCTFail("\(test): \(result)")
                continue
            }
            XCTAssertEqual(verified.nonce, test.nonce)
            var content = try Hex.decode(test.content)
            let pieces = AsyncStream { [content] in
                $0.yield(content)
                $0.finish()
            }
            let body = try await verified.verifiedBody(pieces, limit: 2000)
            XCTAssertEqual(body, .verified(content))
            content.append(0)
            var check = verified.bodyCheck()
            check.update(content.span)
            XCTAssertFalse(check.finish())
            let again = try await requests.outcome(request, verifier)
            XCTAssertEqual(again, .rejected(.replayed))
        }
    }

    /// Returns the fields of each signed request.
    private func sign(_ cases: [Case]) throws -> [[[String]]] {
        let command = [try TestScripts.installedPython(), TestScripts.path("signed_requests.py")]
        let outcome = try Program.succeed(command, input: JSONEncoder().encode(cases))
        return try JSONDecoder().decode([[[String]]].self, from: outcome.output)
    }
}
