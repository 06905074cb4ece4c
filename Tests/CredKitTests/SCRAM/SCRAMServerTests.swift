// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKit

/// The server's half beside hostile clients.
final class SCRAMServerTests: XCTestCase {
    func testLogin() throws {
        let right = try SCRAMExchange()
        guard case .accepted(let answer) = try right.server.verify(right.final.message) else {
            return XCTFail("not accepted")
        }
        XCTAssertNoThrow(try right.final.check(answer))
        let wrong = try SCRAMExchange(password: "incorrect horse")
        XCTAssertEqual(
            try wrong.server.verify(wrong.final.message),
            .rejected(answer: "e=invalid-proof")
        )
        // The message of another login of the same user.
        assertSCRAM(.foreignNonce) { try right.server.verify(wrong.final.message) }
        // Two servers choose two nonces for one client.
        let first = try SCRAM.ClientFirst(right.client.firstMessage)
        let nonces = try (0..<2).map { _ in
            try SCRAM.Server(clientFirst: first, verifier: SCRAMExchange.verifier.get()).nonce
        }
        XCTAssertNotEqual(nonces[0], nonces[1])
    }

    func testHostileFirstMessages() throws {
        XCTAssertNoThrow(try SCRAM.ClientFirst("n,,n=user,r=abc"))
        XCTAssertNoThrow(try SCRAM.ClientFirst("n,a=user,n=user,r=abc,x=extension"))
        let messages: [(String, SCRAM.Error.Code)] = [
            ("", .malformedMessage), ("n", .malformedMessage), ("n,,", .malformedMessage),
            ("n=user,r=abc", .malformedMessage), ("x,,n=user,r=abc", .malformedMessage),
            (",,n=user,r=abc", .malformedMessage), ("N,,n=user,r=abc", .malformedMessage),
            ("n,,r=abc,n=user", .malformedMessage), ("n,,n=user", .malformedMessage),
            ("n,,n=,r=abc", .malformedMessage), ("n,,n=user,r=", .malformedMessage),
            ("n,,n=user,n=user,r=abc", .malformedMessage), ("n,,n=user,r=abc,r=abc", .malformedMessage),
            ("n,,n=us=er,r=abc", .malformedMessage), ("n,,n=us=2c,r=abc", .malformedMessage),
            ("n,,n=user=,r=abc", .malformedMessage), ("n,,n=user,r=a bc", .malformedMessage),
            ("n,,n=user,r=abc,", .malformedMessage), ("n,,n=user,r=äbc", .malformedMessage),
            ("n,user,n=user,r=abc", .malformedMessage), ("n,a=,n=user,r=abc", .malformedMessage),
            ("n,a=root,n=user,r=abc", .unsupported), ("n,,m=1,n=user,r=abc", .unsupported),
            ("n,,n=user,r=abc,m=1", .unsupported), ("p=tls-unique,,n=user,r=abc", .unsupported),
            ("p=,,n=user,r=abc", .malformedMessage), ("p,,n=user,r=abc", .malformedMessage),
            ("n,,n=us\0er,r=abc", .malformedMessage),
            ("n,,n=user,r=" + String(repeating: "a", count: 1025), .overLimit),
            ("n,,n=" + String(repeating: "u", count: 8192) + ",r=abc", .overLimit),
        ]
        for (message, code) in messages {
            assertSCRAM(code, message) { try SCRAM.ClientFirst(Array(message.utf8)) }
        }
        assertSCRAM(.malformedMessage) {
            try SCRAM.ClientFirst(Array("n,,n=".utf8) + [0xC3] + Array(",r=abc".utf8))
        }
    }

    /// Messages in strings have the limits of those in bytes, and both nonces together are within the limit of a nonce.
    func testLimitsOfFirstMessagesInStrings() throws {
        let messages: [(String, SCRAM.Error.Code)] = [
            ("n,,n=us\0er,r=abc", .malformedMessage),
            ("n,a=\(String(repeating: "a", count: 8192)),n=a,r=abc", .overLimit),
            ("n,,n=a,r=" + String(repeating: "a", count: 513), .overLimit),
        ]
        for (message, code) in messages { assertSCRAM(code) { try SCRAM.ClientFirst(message) } }
        let longest = try SCRAM.ClientFirst("n,,n=a,r=" + String(repeating: "a", count: 512))
        let verifier = try SCRAMExchange.verifier.get()
        let server = try SCRAM.Server(clientFirst: longest, verifier: verifier)
        XCTAssertNoThrow(
            try SCRAM.Server(resuming: longest, serverFirst: server.firstMessage, verifier: verifier)
        )
    }

    func testHostileLastMessages() throws {
        let exchange = try SCRAMExchange()
        let server = exchange.server
        let parts = exchange.final.message.split(separator: ",").map(String.init)
        let (c, r, p) = (parts[0], parts[1], parts[2])
        let proof = p.dropFirst(2)
        let messages: [(String, SCRAM.Error.Code)] = [
            ("", .malformedMessage), ("\(c),\(r)", .malformedMessage), ("\(r),\(c),\(p)", .malformedMessage),
            ("\(c),\(p)", .malformedMessage), ("\(c),\(r),\(p),x=1", .malformedMessage),
            ("\(c),\(c),\(r),\(p)", .malformedMessage), ("\(c),\(r),\(r),\(p)", .malformedMessage),
            ("\(c),\(r),\(p),\(p)", .malformedMessage), ("\(c),\(r),p=", .malformedMessage),
            ("\(c),\(r),p=AA==", .malformedMessage), ("\(c),\(r),p=\(proof.dropLast())", .malformedMessage),
            ("\(c),\(r),p=\(proof)=", .malformedMessage), ("\(c),\(r),p= \(proof)", .malformedMessage),
            ("\(c),m=1,\(r),\(p)", .unsupported), ("\(c),\(r)x,\(p)", .foreignNonce),
            ("\(c),\(r.dropLast()),\(p)", .foreignNonce),
            ("\(c),r=\(exchange.client.nonce),\(p)", .foreignNonce),
            ("c=eSws,\(r),\(p)", .channelBindingFailed), ("c=biwsIA==,\(r),\(p)", .channelBindingFailed),
            ("c=,\(r),\(p)", .malformedMessage), ("c=biw,\(r),\(p)", .malformedMessage),
            ("\(c),\(r),x=\(String(repeating: "a", count: 8192)),\(p)", .overLimit),
        ]
        for (message, code) in messages {
            assertSCRAM(code, message) { try server.verify(Array(message.utf8)) }
        }
        // An extension in its place is signed: adding one afterwards makes the proof wrong.
        XCTAssertEqual(try server.verify("\(c),\(r),x=1,\(p)"), .rejected(answer: "e=invalid-proof"))
        XCTAssertEqual(
            try server.verify("\(c),\(r),p=\(Base64.standard.encode([UInt8](repeating: 0, count: 32)))"),
            .rejected(answer: "e=invalid-proof")
        )
        // The message itself is still right.
        guard case .accepted = try server.verify(exchange.final.message) else {
            return XCTFail("not accepted")
        }
    }

    /// Whatever single byte of the last message an attacker changes, it is not accepted; nor is any prefix.
    func testChangedMessages() throws {
        let exchange = try SCRAMExchange()
        let message = Array(exchange.final.message.utf8)
        for index in message.indices {
            for change: UInt8 in [1, 2, 0x20, 0x80] {
                var changed = message
                changed[index] ^= change
                if case .accepted = try? exchange.server.verify(changed) {
                    XCTFail("accepted with byte \(index) changed")
                }
            }
            if case .accepted = try? exchange.server.verify(message[..<index]) {
                XCTFail("accepted when cut at \(index)")
            }
        }
    }

    func testResuming() throws {
        let exchange = try SCRAMExchange()
        let (first, verifier) = (
            try SCRAM.ClientFirst(exchange.client.firstMessage), try SCRAMExchange.verifier.get()
        )
        for message in ["", "r=abc", "s=AA==", "r=\(exchange.client.nonce),s=AA==,i=4096"] {
            XCTAssertThrowsError(
                try SCRAM.Server(resuming: first, serverFirst: message, verifier: verifier),
                message
            )
        }
        // Another user's first message.
        let other = try SCRAM.Client(username: "bob")
        assertSCRAM(.foreignNonce) {
            try SCRAM.Server(
                resuming: SCRAM.ClientFirst(other.firstMessage),
                serverFirst: exchange.server.firstMessage,
                verifier: verifier
            )
        }
        // A changed password.
        let newer = try SCRAM.Verifier(password: "another", iterations: .fewer(4096))
        let server = try SCRAM.Server(
            resuming: first,
            serverFirst: exchange.server.firstMessage,
            verifier: newer
        )
        XCTAssertEqual(try server.verify(exchange.final.message), .rejected(answer: "e=invalid-proof"))
        XCTAssertEqual("\(server)\(first)", "‹SCRAM server›‹client-first›")
    }

    func testErrorMessages() {
        XCTAssertEqual(SCRAM.Error.malformedMessage.serverMessage, "e=invalid-encoding")
        XCTAssertEqual(SCRAM.Error.unsupported.serverMessage, "e=extensions-not-supported")
        XCTAssertEqual(SCRAM.Error.channelBindingFailed.serverMessage, "e=channel-bindings-dont-match")
        XCTAssertEqual(SCRAM.Error.foreignNonce.serverMessage, "e=other-error")
    }
}
