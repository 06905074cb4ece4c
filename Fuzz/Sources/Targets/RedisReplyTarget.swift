// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitServer

extension FuzzTarget {
    /// Feeds the replies of a Redis server, whole and in pieces, and commands.
    static let redisReplies = FuzzTarget("redis-replies") { bytes in
        var input = FuzzInput(bytes)
        let pieceByteCount = 1 + input.number(below: 16)
        let bytes = input.remaining
        let whole = RedisReplyProperties.parse(bytes, by: max(bytes.count, 1))
        try requireEqual(
            RedisReplyProperties.parse(bytes, by: pieceByteCount),
            whole,
            "the pieces do not matter"
        )
        try requireEqual(RedisReplyProperties.parse(bytes, by: 1), whole, "single bytes are the same")
        var rest = bytes[...]
        for reply in whole.replies {
            try RedisReplyProperties.check(reply, depth: 0)
            try require(RedisReplyProperties.take(reply, from: &rest), "a reply has one form")
        }
        try require(!whole.isComplete || rest.isEmpty, "every byte belongs to a reply")

        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
        let command = RedisReplyProperties.parse(
            RESPEncoder.command(parts),
            by: pieceByteCount,
            limits: RESPParser.Limits()
        )
        try requireEqual(
            command.replies,
            [.array(parts.map { .bytes($0) })],
            "a command is an array of strings"
        )
    }
}

private enum RedisReplyProperties {
    struct Outcome: Equatable {
        var replies: [RESPReply] = []
        var failure: RESPParser.Failure?
        var isComplete = true
    }

    /// Small, so that inputs reach them.
    private static var limits: RESPParser.Limits {
        var limits = RESPParser.Limits()
        limits.lineByteCount = 40
        limits.bulkByteCount = 400
        limits.elementCount = 600
        limits.depth = 4
        limits.replyByteCount = 4000
        return limits
    }

    static func parse(_ bytes: [UInt8], by count: Int, limits: RESPParser.Limits = limits) -> Outcome {
        var parser = RESPParser(limits: limits)
        var outcome = Outcome()
        var rest = bytes[...]
        while !rest.isEmpty, outcome.failure == nil {
            var piece = rest.prefix(count)
            rest = rest.dropFirst(count)
            do throws(RESPParser.Failure) {
                while let reply = try parser.next(&piece) { outcome.replies.append(reply) }
            } catch {
                outcome.failure = error
            }
        }
        outcome.isComplete = parser.isBetweenReplies
        return outcome
    }

    static func check(_ reply: RESPReply, depth: Int) throws {
        try require(depth <= limits.depth, "the depth is limited")
        switch reply {
        case .simple(let text), .error(let text):
            try require(!text.contains(10) && !text.contains(13), "a line has no CR and no LF")
            try require(text.count <= limits.lineByteCount, "a line is limited")
        case .bytes(let bytes): try require(bytes.count <= limits.bulkByteCount, "a string is limited")
        case .array(let replies):
            try require(replies.count <= limits.elementCount, "an array is limited")
            for reply in replies { try check(reply, depth: depth + 1) }
        case .integer, .null: break
        }
    }

    /// Takes the only form of a reply from the input, or one of both of null.
    static func take(_ reply: RESPReply, from input: inout ArraySlice<UInt8>) -> Bool {
        func take(_ expected: some Collection<UInt8>) -> Bool {
            guard input.starts(with: expected) else { return false }
            input = input.dropFirst(expected.count)
            return true
        }
        switch reply {
        case .simple(let text): return take("+".utf8 + text + [13, 10])
        case .error(let text): return take("-".utf8 + text + [13, 10])
        case .integer(let number): return take(":\(number)\r\n".utf8)
        case .bytes(let bytes): return take("$\(bytes.count)\r\n".utf8 + bytes + [13, 10])
        case .null: return take("$-1\r\n".utf8) || take("*-1\r\n".utf8)
        case .array(let replies):
            return take("*\(replies.count)\r\n".utf8)
                && replies.allSatisfy { Self.take($0, from: &input) }
        }
    }
}
