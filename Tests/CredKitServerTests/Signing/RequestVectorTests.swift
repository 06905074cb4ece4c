// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitVectors
import XCTest

/// The signed requests of RFC 9421.
final class RequestVectorTests: XCTestCase {
    private struct Vector: Decodable, Sendable {
        struct Head: Decodable {
            let method, scheme, authority, path: String
            let query: String?
            let fields: [[String]]
        }

        let section, signatureInput, signature: String
        let request: Head?

        var head: MessageSignature.Request? {
            request.map {
                let lines = $0.fields + [["Signature-Input", signatureInput], ["Signature", signature]]
                return MessageSignature.Request(
                    method: $0.method,
                    scheme: $0.scheme,
                    authority: $0.authority,
                    path: $0.path,
                    query: $0.query,
                    fields: lines.map { MessageSignature.Field($0[0], $0[1]) }
                )
            }
        }
    }

    private struct Key: Decodable, Sendable {
        let name, algorithm: String
        let publicKey: String?
    }

    private let requests = SignedRequests()
    private let created: Int64 = 1_618_884_473

    private func outcome(
        _ section: String,
        requiring components: [SignedRequests.Component] = SignedRequests.target,
        requiresNonce: Bool = false,
        at time: Int64 = 1_618_884_473
    ) async throws -> SignedRequests.Outcome {
        var keys: SignedRequests.Keys = [:]
        for key in try VectorFile<Key>.load("rfc9421-keys").cases {
            guard let pem = key.publicKey else { continue }
            let algorithm = try XCTUnwrap(MessageSignature.Algorithm(rawValue: key.algorithm))
            keys[key.name] = try .publicKey(pem: pem, algorithm: algorithm)
        }
        let vectors = try VectorFile<Vector>.load("rfc9421-signatures").cases
        let head = try XCTUnwrap(vectors.first { $0.section == section }?.head)
        let verifier = try requests.verifier(
            requiring: components,
            requiresNonce: requiresNonce,
            keys: keys
        )
        let offset = time - requests.now.seconds
        return try await requests.outcome(head, verifier, mayHaveContent: true, at: offset)
    }

    func testRequestsThatCoverTheirContentAreVerified() async throws {
        let full = try await outcome("B.2.3")
        XCTAssertEqual(full, .verified)
        let last = try await outcome("B.2.3", at: created + 300)
        XCTAssertEqual(last, .verified)
        let selected = try await outcome("B.2.2", requiring: [.authority])
        XCTAssertEqual(selected, .verified)
        let example = try await outcome("2.5", requiring: [.method, .authority, .path])
        XCTAssertEqual(example, .verified)
    }

    func testOtherRequestsAreRefused() async throws {
        let cases: [(String, SignedRequests.Outcome)] = [
            ("B.2.1", .refused(.notCovered)), ("B.2.2", .refused(.notCovered)),
            ("B.2.6", .refused(.notCovered)),
            ("B.3", .refused(.notCovered)),
        ]
        for (section, expected) in cases {
            let outcome = try await outcome(section)
            XCTAssertEqual(outcome, expected, section)
        }
        let late = try await outcome("B.2.3", at: created + 301)
        XCTAssertEqual(late, .refused(.tooOld))
        let early = try await outcome("B.2.3", at: created - 6)
        XCTAssertEqual(early, .refused(.createdInFuture))
        let once = try await outcome("B.2.3", requiresNonce: true)
        XCTAssertEqual(once, .refused(.missingParameter))
    }
}
