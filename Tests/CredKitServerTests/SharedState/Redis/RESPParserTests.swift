// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitServer

/// Replies of the Redis protocol, as its specification prints them, and what is none.
final class RESPParserTests: XCTestCase {
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let replies: [(String, RESPReply)] = [
        ("+OK\r\n", .simple(text("OK"))), ("+\r\n", .simple([])),
        ("-NOSCRIPT No matching script.\r\n", .error(text("NOSCRIPT No matching script."))),
        (":0\r\n", .integer(0)), (":-1\r\n", .integer(-1)), (":9223372036854775807\r\n", .integer(.max)),
        (":-9223372036854775808\r\n", .integer(.min)), ("$0\r\n\r\n", .bytes([])),
        ("$7\r\na\r\n$1\r\n\r\n", .bytes(text("a\r\n$1\r\n"))), ("$-1\r\n", .null), ("*-1\r\n", .null),
        ("*0\r\n", .array([])), ("*1\r\n*0\r\n", .array([.array([])])),
        (
            "*3\r\n:1\r\n*2\r\n$1\r\na\r\n-ERR b\r\n+c\r\n",
            .array([
                .integer(1), .array([.bytes(text("a")), .error(text("ERR b"))]), .simple(text("c")),
            ])
        ),
    ]

    private func parse(_ pieces: [ArraySlice<UInt8>], limits: RESPParser.Limits = .init()) throws
        -> [RESPReply]
    {
        var parser = RESPParser(limits: limits)
        var replies: [RESPReply] = []
        for piece in pieces {
            var piece = piece
            while let reply = try parser.next(&piece) { replies.append(reply) }
            XCTAssertTrue(piece.isEmpty)
        }
        return replies
    }

    func testRepliesAreParsedWhateverTheirPieces() throws {
        let bytes = Self.replies.flatMap { Array($0.0.utf8) }
        let expected = Self.replies.map(\.1)
        XCTAssertEqual(try parse([bytes[...]]), expected)
        XCTAssertEqual(try parse(bytes.indices.map { bytes[$0...$0] }), expected)
        for cut in bytes.indices {
            XCTAssertEqual(try parse([bytes[..<cut], bytes[cut...]]), expected, "cut at \(cut)")
        }
        for (text, reply) in Self.replies {
            XCTAssertEqual(try parse([Array(text.utf8)[...]]), [reply], text)
        }
    }

    func testOnlyCompleteRepliesAreReturned() throws {
        for (text, _) in Self.replies {
            var parser = RESPParser()
            var bytes = Array(text.utf8).dropLast()
            XCTAssertNil(try parser.next(&bytes), text)
            XCTAssertFalse(parser.isBetweenReplies, text)
            var last = [UInt8(ascii: "\n")][...]
            XCTAssertNotNil(try parser.next(&last), text)
            XCTAssertTrue(parser.isBetweenReplies, text)
        }
    }

    func testOtherBytesAreRefusedForGood() {
        let texts = [
            "\r\n", "OK\r\n", "+O\rK\r\n", "+OK\n", "+OK\r\r\n", ":\r\n", ":-\r\n", ":+1\r\n", ":01\r\n",
            ":-0\r\n",
            ":1 \r\n", ": 1\r\n", ":1a\r\n", ":9223372036854775808\r\n", ":-9223372036854775809\r\n",
            "$-2\r\n",
            "$01\r\n", "$\r\n", "*-2\r\n", "$1\r\nab\r\n", "$1\r\na\n\n", "$2\r\na\r\n\r\n", "_\r\n",
            "#t\r\n",
            "%1\r\n+a\r\n:1\r\n", ",1\r\n", ">1\r\n+a\r\n", "*1\r\n*1\r\nx\r\n", "\0\r\n",
        ]
        for text in texts {
            let bytes = Array(text.utf8)
            for pieces in [[bytes[...]], bytes.indices.map({ bytes[$0...$0] })] {
                XCTAssertThrowsError(try parse(pieces), text.debugDescription) {
                    XCTAssertEqual($0 as? RESPParser.Failure, .malformed)
                }
            }
            var parser = RESPParser()
            var input = bytes[...]
            XCTAssertThrowsError(try { while try parser.next(&input) != nil {} }())
            var good = Self.text("+OK\r\n")[...]
            XCTAssertThrowsError(try parser.next(&good))
        }
    }

    func testLimitsApplyBeforeAnythingIsStored() {
        var limits = RESPParser.Limits()
        limits.lineByteCount = 10
        limits.bulkByteCount = 20
        limits.elementCount = 5
        limits.depth = 2
        limits.replyByteCount = 60
        func failure(_ text: String) -> RESPParser.Failure? {
            do {
                _ = try parse([Array(text.utf8)[...]], limits: limits)
                return nil
            } catch {
                return error as? RESPParser.Failure
            }
        }
        XCTAssertNil(failure("+1234567890\r\n"))
        XCTAssertEqual(failure("+12345678901\r\n"), .limitExceeded)
        // Without its end, too.
        XCTAssertEqual(failure("+12345678901234567890"), .limitExceeded)
        XCTAssertNil(failure("$20\r\n12345678901234567890\r\n"))
        XCTAssertEqual(failure("$21\r\n"), .limitExceeded)
        XCTAssertEqual(failure("*6\r\n"), .limitExceeded)
        XCTAssertNil(failure("*5\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n"))
        // The elements of inner arrays count.
        XCTAssertEqual(failure("*3\r\n*2\r\n:1\r\n:2\r\n*1\r\n"), .limitExceeded)
        XCTAssertNil(failure("*1\r\n*1\r\n:1\r\n*1\r\n*1\r\n:1\r\n"))
        XCTAssertEqual(failure("*1\r\n*1\r\n*1\r\n"), .limitExceeded)
        let twenty = "$20\r\n12345678901234567890\r\n"
        XCTAssertNil(failure("*2\r\n\(twenty)\(twenty)"))
        XCTAssertEqual(failure("*3\r\n\(twenty)\(twenty)$5\r\n"), .limitExceeded)
        // Huge lengths allocate nothing.
        for text in ["$9223372036854775807\r\n", "*9223372036854775807\r\n"] {
            XCTAssertThrowsError(try parse([Array(text.utf8)[...]])) {
                XCTAssertEqual($0 as? RESPParser.Failure, .limitExceeded)
            }
        }
    }

    func testRepliesBecomeValues() {
        XCTAssertEqual(RESPReply.simple([65]).value, .bytes([65]))
        XCTAssertEqual(
            RESPReply.array([.null, .integer(1), .array([.bytes([])])]).value,
            .array([.null, .integer(1), .array([.bytes([])])])
        )
        XCTAssertNil(RESPReply.error([65]).value)
        XCTAssertNil(RESPReply.array([.array([.error([65])])]).value)
        XCTAssertEqual(RESPReply.error(Self.text("ERR x")).errorText, "ERR x")
    }

    func testCommandsAreArraysOfStrings() {
        XCTAssertEqual(
            RESPEncoder.command([Self.text("GET"), [13, 10, 0]]),
            Self.text("*2\r\n$3\r\nGET\r\n$3\r\n\r\n\0\r\n")
        )
        XCTAssertEqual(RESPEncoder.command("PING"), Self.text("*1\r\n$4\r\nPING\r\n"))
    }
}
