// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Requests that a session has signed, verified as a server does: once each, with their content.
final class SignedBothHalvesTests: SessionTestCase {
    private struct Outcome: Sendable, Equatable {
        let isVerified: Bool
        let content: [UInt8]
    }

    private static func verify(
        _ request: ScriptedTransport.Request,
        _ verifier: RequestVerifier
    ) async throws -> Outcome {
        let target = (request.head.path ?? "").split(separator: "?", maxSplits: 1)
        let head = MessageSignature.Request(
            method: request.head.method.rawValue,
            scheme: request.head.scheme ?? "",
            authority: "127.0.0.1:1",
            path: String(target[0]),
            query: target.count > 1 ? String(target[1]) : nil,
            fields: request.head.headerFields.map { .init($0.name.canonicalName, $0.value) }
        )
        let result = try await verifier.verify(head, mayHaveContent: !request.body.isEmpty, at: morning)
        guard case .verified(let verified) = result else { return Outcome(isVerified: false, content: []) }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for byte in request.body { continuation.yield([byte]) }
        continuation.finish()
        guard case .verified(let content) = try await verified.verifiedBody(stream, limit: 100) else {
            return Outcome(isVerified: false, content: [])
        }
        return Outcome(isVerified: true, content: content)
    }

    func testServerVerifiesWhatASessionSigns() async throws {
        for key in [try SignatureLog.key(), try .ed25519([UInt8](repeating: 3, count: 32))] {
            let verifier = try RequestVerifier(
                replayStore: try InMemoryReplayStore(isFirstStart: true),
                startedAt: Self.morning
            ) { $0 == "k1" ? key.verificationKey : nil }
            let session = try session { $0.signer = try? .httpMessageSignature(key, keyID: "k1") }
            try await session.logIn(username: "alice", password: "zhang")
            let outcomes = Lock<[Outcome]>([])
            let copies = Lock<[Outcome]>([])
            server.script("/data") { request in
                if let outcome = try? await Self.verify(request, verifier) {
                    outcomes.withLock { $0.append(outcome) }
                }
                if let copy = try? await Self.verify(request, verifier) {
                    copies.withLock { $0.append(copy) }
                }
                return nil
            }
            _ = try await session.send(.data)
            server.expire()
            _ = try await session.send(.data.setting(\.query, to: [(key: "a", value: "käse & wein")]))
            _ = try await session.send(Endpoint<WhoAmI>(.put, "/data", payload: .bytes([1, 2, 3])))
            let seen = outcomes.withLock { $0 }
            XCTAssertEqual(seen.count, 4)
            XCTAssertTrue(seen.allSatisfy(\.isVerified))
            XCTAssertEqual(seen.last?.content, [1, 2, 3])
            XCTAssertEqual(copies.withLock { $0.filter(\.isVerified).count }, 0)
            try await session.logOut()
        }
    }
}
