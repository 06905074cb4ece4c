// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Runs `dpop_server.py`, whose tokens are bound to keys, and which verifies proofs with two packages that are not part of
/// CredKit.
struct DPoPServer {
    struct State: Decodable {
        /// How many refresh tokens were accepted.
        let refreshes: Int
        /// How often one came that had been replaced.
        let reused: Int
        /// How often one came with another key than its own.
        let strangers: Int
        /// How many proofs were right.
        let proofs: Int
        /// How many requests had no answer.
        let closed: Int
        /// How often another nonce was asked for.
        let challenges: Int
        let revoked: Int
        /// What was wrong with proofs.
        let problems: [String]
        /// The names of the headers that the foreign origin has got.
        let foreign: [[String]]
        /// The keys that came to the token endpoint.
        let jkts: [String]
        /// The refresh tokens that would be accepted.
        let valid: [String]
    }

    struct Settings: Encodable {
        /// How many proofs a nonce is for; 0 for no nonces.
        var rotate: Int?
        /// How far the clocks may differ, in seconds.
        var skew: Int?
        /// The share of requests on kept connections that get no answer.
        var close: Double?
        /// The type of tokens.
        var type: String?
        /// Whether no nonce is accepted.
        var endless: Bool?
    }

    private let peer: Peer
    let url: String
    let otherURL: String
    let foreignURL: String

    init(_ settings: Settings = Settings()) throws {
        peer = try Peer("dpop_server.py", python: TestScripts.python.path)
        let ports = try peer.started(as: [String: Int].self)
        func url(_ name: String) throws -> String { "http://127.0.0.1:\(try XCTUnwrap(ports[name]))" }
        (self.url, otherURL, foreignURL) = (try url("main"), try url("other"), try url("foreign"))
        try set(settings)
    }

    var state: State { get throws { try peer.ask(["state": true], as: State.self) } }

    func set(_ settings: Settings) throws { _ = try peer.ask(["set": settings], as: Bool.self) }

    /// Returns a refresh token of a new login.
    func grant(_ user: String) throws -> String { try peer.ask(["grant": user], as: String.self) }

    /// Forgets all access tokens.
    func expire() throws { _ = try peer.ask(["expire": true], as: Bool.self) }
}

/// What a proof says, without its signature.
struct SentProof: Decodable {
    let jti: String
    let htm: String
    let htu: String
    let iat: Int64
    let ath: String?
    let nonce: String?

    /// Returns the proof of a request; `nil` if there is none.
    init?(of request: HTTPRequest) throws {
        let name = try XCTUnwrap(HTTPField.Name("DPoP"))
        guard let text = request.headerFields[name] else { return nil }
        let parts = text.split(separator: ".")
        XCTAssertEqual(parts.count, 3)
        let claims = try Base64.urlSafe.unpadded.decode(parts[1])
        self = try JSONDecoder().decode(Self.self, from: Data(claims))
    }
}
