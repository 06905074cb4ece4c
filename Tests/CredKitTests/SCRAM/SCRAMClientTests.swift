// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKit

/// The client's half beside hostile servers.
final class SCRAMClientTests: XCTestCase {
    private let salt = "W22ZaJ0SNY7soEsUEjb6gQ=="

    private func client() throws -> SCRAM.Client {
        try SCRAM.Client(
            username: "user",
            mechanism: .sha256,
            binding: .unsupported,
            acceptedIterations: 4096...600_000,
            usernamePreparation: nil,
            nonce: "abc"
        )
    }

    func testHostileChallenges() throws {
        let client = try client()
        let rest = "s=\(salt),i=4096"
        XCTAssertNoThrow(try client.challenge(from: "r=abcd,\(rest)"))
        XCTAssertNoThrow(try client.challenge(from: "r=abcd,\(rest),x=unknown,y=extension"))
        let messages: [(String, SCRAM.Error.Code)] = [
            ("", .malformedMessage), (",", .malformedMessage), ("r=abcd", .malformedMessage),
            ("r=abcd,s=\(salt)", .malformedMessage), ("s=\(salt),r=abcd,i=4096", .malformedMessage),
            ("r=abcd,i=4096,s=\(salt)", .malformedMessage), ("x=1,r=abcd,\(rest)", .malformedMessage),
            ("r=abcd,r=abcd,\(rest)", .malformedMessage), ("r=abcd,s=\(salt),\(rest)", .malformedMessage),
            ("r=abcd,\(rest),i=4096", .malformedMessage), ("r=abcd,\(rest),r=abcd", .malformedMessage),
            ("r=abcd,\(rest),", .malformedMessage), ("r=abcd,,\(rest)", .malformedMessage),
            ("r=abcd,\(rest),p=aaaa", .malformedMessage), ("R=abcd,\(rest)", .malformedMessage),
            ("r=abc,\(rest)", .foreignNonce), ("r=ab,\(rest)", .foreignNonce),
            ("r=xbcd,\(rest)", .foreignNonce), ("r=,\(rest)", .malformedMessage),
            ("r=Abcd,\(rest)", .foreignNonce), ("r=abc d,\(rest)", .malformedMessage),
            ("r=abc\u{7F},\(rest)", .malformedMessage), ("r=abc\u{E9},\(rest)", .malformedMessage),
            ("r=abcd,s=,i=4096", .malformedMessage), ("r=abcd,s=A,i=4096", .malformedMessage),
            ("r=abcd,s=W22ZaJ0SNY7soEsUEjb6gQ,i=4096", .malformedMessage),
            ("r=abcd,s=AB==,i=4096", .malformedMessage), ("r=abcd,s=AA==AA==,i=4096", .malformedMessage),
            ("m=ext,r=abcd,\(rest)", .unsupported), ("r=abcd,\(rest),m=ext", .unsupported),
            ("r=abcd,\(rest),f=x", .unsupported), ("e=other-error", .rejected),
            ("r=abcd\0,\(rest)", .malformedMessage),
            ("r=abc" + String(repeating: "d", count: 1022) + ",\(rest)", .overLimit),
            ("r=abcd,\(rest),x=" + String(repeating: "d", count: 8192), .overLimit),
            ("r=abcd,s=\(Base64.standard.encode([UInt8](repeating: 1, count: 1025))),i=4096", .overLimit),
        ]
        for (message, code) in messages {
            assertSCRAM(code, message) { try client.challenge(from: Array(message.utf8)) }
        }
        assertSCRAM(.malformedMessage) {
            try client.challenge(from: Array("r=abc".utf8) + [0xFF] + Array(",\(rest)".utf8))
        }
    }

    func testIterations() throws {
        let client = try client()
        for count in [
            "0", "1", "4095", "600001", "2147483648", String(repeating: "9", count: 40), "04096", "",
        ] {
            let code: SCRAM.Error.Code = count.isEmpty ? .malformedMessage : .iterationsRefused
            assertSCRAM(code, count) { try client.challenge(from: "r=abcd,s=\(salt),i=\(count)") }
        }
        for count in ["-4096", "+4096", "4096.0", "0x1000", " 4096", "4096 ", "４０９６"] {
            assertSCRAM(.malformedMessage, count) {
                try client.challenge(from: "r=abcd,s=\(salt),i=\(count)")
            }
        }
        for count in [4096, 600_000] {
            XCTAssertEqual(
                try client.challenge(from: "r=abcd,s=\(salt),i=\(count)").iterations,
                count
            )
        }
    }

    func testSubjects() throws {
        let client = try client()
        let message = "r=abcd,s=\(salt),i=4096"
        XCTAssertNil(try client.challenge(from: message).subject)
        XCTAssertEqual(try client.challenge(from: message + ",f=e").subject, .passwordEquivalent)
        XCTAssertEqual(try client.challenge(from: message + ",f=p,x=1").subject, .password)
    }

    /// Each prefix of a message is refused.
    func testMessagesCutAtEachByte() throws {
        let exchange = try SCRAMExchange()
        let first = Array(exchange.server.firstMessage.utf8)
        // A number of iterations with fewer digits is too low, and all else is missing.
        for end in first.indices {
            XCTAssertThrowsError(try exchange.client.challenge(from: first[..<end]), "\(end)")
        }
        guard case .accepted(let answer) = try exchange.server.verify(exchange.final.message) else {
            return XCTFail("not accepted")
        }
        XCTAssertNoThrow(try exchange.final.check(answer))
        for end in answer.utf8.indices {
            XCTAssertThrowsError(try exchange.final.check(Array(answer.utf8[..<end])))
        }
    }

    /// Success without the server's signature is a failure.
    func testServersThatProveNothing() throws {
        let final = try SCRAMExchange().final
        let other = Base64.standard.encode([UInt8](repeating: 0, count: 32))
        for answer in [
            "v=\(other)", "v=", "v=AA==", "v=\(other.dropLast())", "x=1", "v=\(other),v=\(other)", "", "ok",
            "x=1,v=\(other)",
        ] {
            XCTAssertThrowsError(try final.check(answer), answer) { error in
                let code = (error as? SCRAM.Error)?.code
                XCTAssertTrue(code == .serverNotAuthenticated || code == .malformedMessage, "\(error)")
            }
        }
        assertSCRAM(.serverNotAuthenticated) { try final.check("v=\(other)") }
        assertSCRAM(.serverNotAuthenticated) { try final.check("x=1") }
        assertSCRAM(.rejected) { try final.check("e=invalid-proof") }
        assertSCRAM(.rejected) { try final.check("e=a message of 🐎s") }
        assertSCRAM(.channelBindingFailed) { try final.check("e=channel-bindings-dont-match") }
        assertSCRAM(.malformedMessage) { try final.check("e=") }
        assertSCRAM(.unsupported) { try final.check("m=1,v=\(other)") }
        // A signature of the same server for another login.
        let second = try SCRAMExchange()
        guard case .accepted(let answer) = try second.server.verify(second.final.message) else {
            return XCTFail("not accepted")
        }
        assertSCRAM(.serverNotAuthenticated) { try final.check(answer) }
    }

    func testKeys() throws {
        let exchange = try SCRAMExchange()
        let keys = try SCRAM.ClientKeys(password: SCRAMExchange.password, for: exchange.challenge)
        // They serve the next login, too.
        let second = try SCRAMExchange()
        XCTAssertTrue(keys.areUsable(for: second.challenge))
        let final = try second.client.finalMessage(for: second.challenge, keys: keys)
        guard case .accepted(let answer) = try second.server.verify(final.message) else {
            return XCTFail("not accepted")
        }
        XCTAssertNoThrow(try final.check(answer))
        XCTAssertEqual("\(keys)", "‹redacted›")
        let nonce = second.client.nonce
        for other in ["s=\(salt),i=4096", "s=EBESExQVFhcYGRobHB0eHw==,i=4097"] {
            let challenge = try second.client.challenge(from: "r=\(nonce)x,\(other)")
            XCTAssertFalse(keys.areUsable(for: challenge))
            assertSCRAM(.otherKeys) { try second.client.finalMessage(for: challenge, keys: keys) }
        }
        // Another client's challenge.
        assertSCRAM(.foreignNonce) {
            try exchange.client.finalMessage(for: second.challenge, keys: keys)
        }
    }

    func testUserNames() throws {
        for (name, sent) in [("a,b=c", "n=a=2Cb=3Dc"), ("=2C", "n==3D2C"), ("é,", "n=é=2C")] {
            let client = try SCRAM.Client(username: name, usernamePreparation: nil)
            XCTAssertTrue(client.firstMessage.hasPrefix("n,,\(sent),r="), client.firstMessage)
            XCTAssertEqual(try SCRAM.ClientFirst(client.firstMessage).username, name)
        }
        for name in ["", "a\0b", String(repeating: "a", count: 1025)] {
            assertSCRAM(.overLimit) { try SCRAM.Client(username: name, usernamePreparation: nil) }
        }
        XCTAssertEqual("\(try client())", "‹SCRAM client›")
    }
}
