// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitVectors
import XCTest

@testable import CredKit

/// The exchanges of the RFCs, byte for byte.
final class SCRAMVectorTests: XCTestCase {
    private struct Case: Decodable, Sendable {
        let hashFunction, clientNonce, serverNonce, salt: String
        let clientFirst, serverFirst, clientFinal, serverFinal: String
    }

    private func client(_ vector: Case) throws -> SCRAM.Client {
        let hashFunction = try XCTUnwrap(SCRAM.HashFunction(rawValue: vector.hashFunction))
        return try SCRAM.Client(
            username: "user",
            mechanism: SCRAM.Mechanism(hashFunction, hasChannelBinding: false),
            binding: .unsupported,
            acceptedIterations: 4096...4096,
            usernamePreparation: .rfc4013,
            nonce: vector.clientNonce
        )
    }

    func testClient() throws {
        for vector in try VectorFile<Case>.load("scram-exchanges").cases {
            let client = try client(vector)
            XCTAssertEqual(client.firstMessage, vector.clientFirst)
            let challenge = try client.challenge(from: vector.serverFirst)
            let keys = try SCRAM.ClientKeys(password: "pencil", for: challenge)
            let final = try client.finalMessage(for: challenge, keys: keys)
            XCTAssertEqual(final.message, vector.clientFinal)
            XCTAssertNoThrow(try final.check(vector.serverFinal))
        }
    }

    func testServer() throws {
        for vector in try VectorFile<Case>.load("scram-exchanges").cases where vector.hashFunction != "SHA-1"
        {
            let verifier = try SCRAM.Verifier(
                password: "pencil",
                iterations: .fewer(4096),
                salt: Base64.standard.decode(vector.salt)
            )
            let first = try SCRAM.ClientFirst(vector.clientFirst)
            XCTAssertEqual(first.username, "user")
            let server = try SCRAM.Server(
                clientFirst: first,
                verifier: verifier,
                subject: nil,
                offer: .none,
                nonce: vector.serverNonce
            )
            XCTAssertEqual(server.firstMessage, vector.serverFirst)
            let accepted = SCRAM.Server.Verdict.accepted(answer: vector.serverFinal)
            XCTAssertEqual(try server.verify(vector.clientFinal), accepted)
            let resumed = try SCRAM.Server(
                resuming: first,
                serverFirst: vector.serverFirst,
                verifier: verifier
            )
            XCTAssertEqual(resumed.nonce, vector.clientNonce + vector.serverNonce)
            XCTAssertEqual(try resumed.verify(vector.clientFinal.utf8), accepted)
        }
    }

    /// No login uses SHA-1.
    func testServerRefusesSHA1() throws {
        let verifier = try SCRAM.Verifier(
            "SCRAM-SHA-1$4096:QSXCR+Q6sek8bf92$6dlGYMOdZcOPutkcNY8U2g7vK9Y=:D+CSWLOshSulAsxiupA+qs2/fTE="
        )
        XCTAssertThrowsError(try SCRAM.Server(clientFirst: .init("n,,n=user,r=abc"), verifier: verifier)) {
            XCTAssertEqual($0 as? SCRAM.Error, .unsupported)
        }
        XCTAssertThrowsError(try SCRAM.Verifier(password: "pencil", hashFunction: .sha1)) {
            XCTAssertEqual($0 as? SCRAM.Error, .unsupported)
        }
        XCTAssertNil(SCRAM.Mechanism(name: "SCRAM-SHA-1"))
    }
}
