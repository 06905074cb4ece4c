// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKit

/// An exchange until the client's last message, whose parts tests replace.
struct SCRAMExchange {
    static let password = "correct horse"
    static let verifier = Result {
        try SCRAM.Verifier(password: password, iterations: .fewer(4096), salt: Array(16..<32))
    }

    let client: SCRAM.Client
    let server: SCRAM.Server
    let challenge: SCRAM.Challenge
    let final: SCRAM.ClientFinal

    init(
        mechanism: SCRAM.Mechanism = .sha256,
        request: SCRAM.BindingRequest = .unsupported,
        offer: SCRAM.Server.BindingOffer = .none,
        binding: SCRAM.ChannelBinding? = nil,
        username: String = "alice",
        password: String = Self.password
    ) throws {
        client = try SCRAM.Client(username: username, mechanism: mechanism, binding: request)
        server = try SCRAM.Server(
            clientFirst: SCRAM.ClientFirst(client.firstMessage),
            verifier: Self.verifier.get(),
            offer: offer
        )
        challenge = try client.challenge(from: server.firstMessage)
        let keys = try SCRAM.ClientKeys(password: password, for: challenge)
        final = try client.finalMessage(for: challenge, keys: keys, binding: binding)
    }
}

/// Checks that an expression throws an error of a code.
func assertSCRAM<Value>(
    _ code: SCRAM.Error.Code,
    _ message: String = "",
    file: StaticString = #filePath,
    line: UInt = #line,
    _ body: () throws -> Value
) {
    XCTAssertThrowsError(try body(), message, file: file, line: line) { error in
        XCTAssertEqual((error as? SCRAM.Error)?.code, code, "\(message): \(error)", file: file, line: line)
    }
}
