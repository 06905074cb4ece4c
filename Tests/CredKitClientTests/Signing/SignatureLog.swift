// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Verifies what reaches the servers behind a transport.
struct SignatureLog: HTTPTransport {
    struct Entry: Sendable {
        let authority: String
        let target: String
        let isSigned: Bool
        /// The nonce of a valid signature.
        let nonce: String?
        let components: [String]
        let head: HTTPRequest
        let body: [UInt8]
    }

    static let secret: [UInt8] = Array(1...32)
    static let now = SessionTestCase.morning

    let transport: ScriptedTransport
    let entries = Lock<[Entry]>([])

    static func key() throws -> MessageSignature.SigningKey { try .hmacSHA256(secret) }

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        let bytes: [UInt8]? = if let body { try await Self.bytes(of: body) } else { nil }
        let accepted = try Self.verify(request, bytes)
        let entry = Entry(
            authority: request.authority ?? "",
            target: request.path ?? "",
            isSigned: request.headerFields.contains { $0.name.canonicalName.hasPrefix("signature") },
            nonce: accepted?.nonce,
            components: accepted?.components.map(\.name) ?? [],
            head: request,
            body: bytes ?? []
        )
        entries.withLock { $0.append(entry) }
        return try await transport.send(
            request,
            body: bytes.map { HTTPRequestBody($0) },
            deadline: deadline
        )
    }

    private static func bytes(of body: HTTPRequestBody) async throws -> [UInt8] {
        switch body.content {
        case .bytes(let bytes): return bytes
        case .stream(let stream, _):
            var bytes: [UInt8] = []
            for try await piece in stream { bytes += piece }
            return bytes
        }
    }

    /// Verifies a request as a server does, digest included.
    static func verify(_ request: HTTPRequest, _ body: [UInt8]?) throws -> MessageSignature.Accepted? {
        var required: [MessageSignature.Component] = [.method, .authority, .path, .query]
        if let body {
            required.append(.contentDigest)
            let digest = HTTPField.Name("content-digest").map { request.headerFields[values: $0] } ?? []
            guard ContentDigest(fieldLines: digest)?.matches(body) == true else { return nil }
        }
        let target = (request.path ?? "").split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let message = MessageSignature.Request(
            method: request.method.rawValue,
            scheme: request.scheme ?? "",
            authority: request.authority ?? "",
            path: String(target[0]),
            query: target.count > 1 ? String(target[1]) : nil,
            fields: request.headerFields.map { .init($0.name.canonicalName, $0.value) }
        )
        let key = try key().verificationKey
        let verifier = try MessageSignature.Verifier(requiring: required)
        switch verifier.verify(.request(message), at: now, key: { $0 == "k1" ? key : nil }) {
        case .valid(let accepted): return accepted
        case .invalid: return nil
        }
    }

    /// The requests to a path, whatever their query.
    func entries(_ path: String) -> [Entry] {
        entries.withLock { $0.filter { $0.target.prefix { $0 != "?" } == path } }
    }
}
