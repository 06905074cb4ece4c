// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// Makes signed requests, and verifiers with a clock that stands still.
struct SignedRequests {
    typealias Component = MessageSignature.Component
    typealias Keys = [String: MessageSignature.VerificationKey]

    /// The result of a verification, in a form that compares.
    enum Outcome: Equatable {
        case verified
        case refused(MessageSignature.Refusal.Code)
        case rejected(RequestRejection.Code)
        case unavailable(Duration)
    }

    static let target: [Component] = [.method, .authority, .path, .query]
    static let all: [Component] = target + [.contentDigest]

    let now = UnixTime(1_700_000_000)
    let clock = ManualClock()

    func key(_ byte: UInt8 = 1) throws -> MessageSignature.SigningKey {
        try .hmacSHA256([UInt8](repeating: byte, count: 32))
    }

    /// A request, with a digest if there is content.
    func request(_ content: [UInt8]? = nil) -> MessageSignature.Request {
        var request = MessageSignature.Request(
            method: "POST",
            authority: "example.com",
            path: "/articles",
            query: "id=7"
        )
        if let content {
            request.fields = [.init("Content-Digest", ContentDigest(of: content).fieldValue)]
        }
        return request
    }

    /// Adds a signature of the default key, named `k1`.
    func signed(
        _ request: MessageSignature.Request? = nil,
        covering components: [Component]? = nil,
        by key: MessageSignature.SigningKey? = nil,
        keyID: String? = "k1",
        created: Int64? = 0,
        expires: Int64? = nil,
        nonce: String? = "n",
        alg: String? = nil,
        tag: String? = nil,
        label: String = "sig"
    ) throws -> MessageSignature.Request {
        var request = request ?? self.request()
        var parameters = MessageSignature.Parameters(
            created: created.map { now + .seconds($0) },
            expires: expires.map { now + .seconds($0) },
            keyID: keyID,
            nonce: nonce,
            tag: tag
        )
        parameters.algorithmName = alg
        let hasDigest = request.fields.contains { $0.name == "Content-Digest" }
        let covered = components ?? (hasDigest ? Self.all : Self.target)
        let input = try MessageSignature.Input(covered, parameters: parameters)
        let signature = try (key ?? self.key()).sign(input.signatureBase(of: .request(request)))
        let fields = try MessageSignature.Signed(label: label, input: input, signature: signature)
        request.fields.append(.init("Signature-Input", fields.signatureInput))
        request.fields.append(.init("Signature", fields.signature))
        return request
    }

    func store(perAccountLimit: Int = 64) throws -> InMemoryReplayStore {
        try InMemoryReplayStore(isFirstStart: true, perAccountLimit: perAccountLimit, clock: clock)
    }

    func verifier(
        requiring components: [Component] = target,
        tag: String? = nil,
        requiresNonce: Bool = true,
        store: (any ReplayStore)? = nil,
        keys: Keys? = nil
    ) throws -> RequestVerifier {
        let keys = try keys ?? ["k1": key().verificationKey]
        return try RequestVerifier(
            requiring: components,
            tag: tag,
            requiresNonce: requiresNonce,
            replayStore: store ?? self.store(),
            startedAt: now,
            clock: clock
        ) { keys[$0] }
    }

    func outcome(
        _ request: MessageSignature.Request,
        _ verifier: RequestVerifier? = nil,
        mayHaveContent: Bool = false,
        at offset: Int64 = 0
    ) async throws -> Outcome {
        let verifier = try verifier ?? self.verifier()
        switch try await verifier.verify(request, mayHaveContent: mayHaveContent, at: now + .seconds(offset))
        {
        case .verified: return .verified
        case .unavailable(let wait): return .unavailable(wait)
        case .rejected(let rejection):
            XCTAssertTrue(rejection.description.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "\(rejection)")
            guard let refusal = rejection.refusal else { return .rejected(rejection.code) }
            XCTAssertEqual(rejection.code, .invalidSignature)
            return .refused(refusal.code)
        }
    }
}
