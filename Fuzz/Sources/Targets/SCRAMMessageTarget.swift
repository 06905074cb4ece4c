// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Feeds messages of SCRAM to the half that receives them, and compares with a plain reader.
    static let scramMessages = FuzzTarget("scram-messages") { bytes in
        var input = FuzzInput(bytes)
        let kind = input.byte() % 4
        let message = Array(input.remaining)
        switch kind {
        case 0: try SCRAMMessageProperties.checkClientFirst(message)
        case 1: try SCRAMMessageProperties.checkServerFirst(message)
        case 2: try SCRAMMessageProperties.checkClientFinal(message)
        default: try SCRAMMessageProperties.checkServerFinal(message)
        }
    }
}

private enum SCRAMMessageProperties {
    /// One login, whose nonces are fixed, so that each message has one right text.
    private struct Login {
        let client: SCRAM.Client
        let server: SCRAM.Server
        let final: SCRAM.ClientFinal
        let answer: String
    }

    private static let login: Login? = {
        guard let iterations = try? SCRAM.Iterations.fewer(4096),
            let verifier = try? SCRAM.Verifier(password: "p", iterations: iterations, salt: Array(0..<16)),
            let client = try? SCRAM.Client(
                username: "u",
                mechanism: .sha256,
                binding: .unsupported,
                acceptedIterations: 4096...600_000,
                usernamePreparation: nil,
                nonce: "abc"
            ), let first = try? SCRAM.ClientFirst(client.firstMessage),
            let server = try? SCRAM.Server(
                clientFirst: first,
                verifier: verifier,
                subject: nil,
                offer: .none,
                nonce: "def"
            ), let challenge = try? client.challenge(from: server.firstMessage),
            let keys = try? SCRAM.ClientKeys(password: "p", for: challenge),
            let final = try? client.finalMessage(for: challenge, keys: keys),
            case .accepted(let answer) = try? server.verify(final.message)
        else { return nil }
        return Login(client: client, server: server, final: final, answer: answer)
    }()

    private static func attributes(_ message: some Sequence<UInt8>) throws -> [ArraySlice<UInt8>] {
        let attributes = Array(message).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        try require(
            attributes.allSatisfy { $0.count >= 2 && $0[$0.startIndex + 1] == UInt8(ascii: "=") },
            "an attribute has a name and a value"
        )
        try requireEqual(
            Set(attributes.compactMap(\.first)).count,
            attributes.count,
            "an attribute occurs once"
        )
        try require(!attributes.contains { $0.first == UInt8(ascii: "m") }, "there is no mandatory extension")
        return attributes
    }

    static func checkClientFirst(_ message: [UInt8]) throws {
        guard let first = try? SCRAM.ClientFirst(message) else { return }
        try requireEqual(Array((first.header + first.bare).utf8), message, "the parts are the message")
        let attributes = try attributes(first.bare.utf8)
        try requireEqual(
            Array("n=\(SCRAM.ClientFirst.escaped(first.username))".utf8),
            Array(attributes[0]),
            "the name is that of the message"
        )
        try requireEqual(
            Array("r=\(first.nonce)".utf8),
            Array(attributes[1]),
            "the nonce is that of the message"
        )
        try require(!first.username.isEmpty && !first.nonce.isEmpty, "name and nonce are not empty")
    }

    static func checkServerFirst(_ message: [UInt8]) throws {
        guard let login, let challenge = try? login.client.challenge(from: message) else { return }
        let attributes = try attributes(message)
        try require(
            challenge.nonce.utf8.count > 3 && challenge.nonce.hasPrefix("abc"),
            "the nonce continues that of the client"
        )
        try require(4096...600_000 ~= challenge.iterations, "the number of iterations is within its limits")
        for (index, text) in [
            "r=\(challenge.nonce)", "s=\(Base64.standard.encode(challenge.salt))",
            "i=\(challenge.iterations)",
        ].enumerated() {
            try requireEqual(Array(attributes[index]), Array(text.utf8), "the attributes are in their order")
        }
    }

    static func checkClientFinal(_ message: [UInt8]) throws {
        guard let login, case .accepted = try? login.server.verify(message) else { return }
        try requireEqual(message, Array(login.final.message.utf8), "only the right message is accepted")
    }

    static func checkServerFinal(_ message: [UInt8]) throws {
        guard let login else { return }
        do throws(SCRAM.Error) { try login.final.check(message) } catch { return }
        let first = try attributes(message)[0]
        try requireEqual(Array(first), Array(login.answer.utf8), "only the right signature is a success")
    }
}
