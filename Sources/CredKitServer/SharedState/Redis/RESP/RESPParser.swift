// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Parses replies of the Redis protocol, RESP2, which may arrive in pieces of any size: for a ``RedisScriptRunner`` over a
/// connection of your own.
///
/// It accepts exactly what Redis sends, and refuses types of RESP3. The work is linear, and the memory is bounded by the limits
/// and by what has arrived: an announced length allocates nothing.
public struct RESPParser: Sendable {
    /// The ceilings of one reply.
    public struct Limits: Sendable {
        /// The bytes of a simple string, an error or a number.
        public var lineByteCount = 16 << 10
        /// The bytes of a bulk string.
        public var bulkByteCount = 1 << 20
        /// The elements of all arrays together.
        public var elementCount = 1 << 16
        /// The depth of arrays.
        public var depth = 8
        /// The bytes of the whole reply.
        public var replyByteCount = 4 << 20

        /// Creates ceilings with the values above.
        public init() {}
    }

    /// Why bytes are no reply.
    public enum Failure: Error, Hashable {
        /// They are not of the protocol.
        case malformed
        /// The reply is over one of the ``Limits``.
        case limitExceeded
    }

    private enum Step {
        case line
        /// A bulk string of so many bytes.
        case bulk(Int)
        /// Nothing more can be read.
        case failed(Failure)
    }

    /// An array that is incomplete.
    private struct Frame {
        var missing: Int
        var replies: [RESPReply] = []
    }

    private let limits: Limits
    private var step = Step.line
    /// What has arrived of the line or of the bulk string, with its CR and LF.
    private var text: [UInt8] = []
    private var frames: [Frame] = []
    private var elementCount = 0
    private var byteCount = 0

    /// Creates a parser for the replies of one connection.
    ///
    /// - Parameter limits: The ceilings of each reply.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Whether no reply is incomplete.
    public var isBetweenReplies: Bool {
        guard case .line = step else { return false }
        return text.isEmpty && frames.isEmpty
    }

    /// Takes bytes from the input up to the end of one reply.
    ///
    /// - Parameter input: The bytes that have arrived. What belongs to the next reply remains in it.
    /// - Returns: A reply; `nil` if the input ended first.
    /// - Throws: ``Failure``, and the same again with every further call.
    public mutating func next(_ input: inout ArraySlice<UInt8>) throws(Failure) -> RESPReply? {
        do throws(Failure) {
            while !input.isEmpty {
                let reply: RESPReply?
                switch step {
                case .line: reply = try readLine(&input)
                case .bulk(let count): reply = try readBulk(count, &input)
                case .failed(let failure): throw failure
                }
                if let reply, let complete = place(reply) { return complete }
            }
            if case .failed(let failure) = step { throw failure }
            return nil
        } catch {
            step = .failed(error)
            text = []
            frames = []
            throw error
        }
    }

    private mutating func readLine(_ input: inout ArraySlice<UInt8>) throws(Failure) -> RESPReply? {
        let end = input.firstIndex(of: 10).map { $0 + 1 } ?? input.endIndex
        let piece = input[..<end]
        // The type, CR and LF do not count.
        guard piece.count <= limits.lineByteCount + 3 - text.count else { throw .limitExceeded }
        text += piece
        input = input[end...]
        guard text.last == 10 else { return nil }
        let line = text.dropLast(2)
        guard text.count >= 3, text[text.count - 2] == 13, !line.contains(13) else { throw .malformed }
        try count(text.count)
        text = []
        return try interpret(line)
    }

    private mutating func interpret(_ line: ArraySlice<UInt8>) throws(Failure) -> RESPReply? {
        let content = line.dropFirst()
        switch line.first {
        case UInt8(ascii: "+"): return .simple(Array(content))
        case UInt8(ascii: "-"): return .error(Array(content))
        case UInt8(ascii: ":"): return .integer(try Self.number(content))
        case UInt8(ascii: "$"):
            guard let count = try Self.length(content) else { return .null }
            guard count <= limits.bulkByteCount else { throw .limitExceeded }
            try self.count(count + 2)
            step = .bulk(count)
            return nil
        case UInt8(ascii: "*"):
            guard let count = try Self.length(content) else { return .null }
            guard count > 0 else { return .array([]) }
            guard count <= limits.elementCount - elementCount, frames.count < limits.depth else {
                throw .limitExceeded
            }
            elementCount += count
            frames.append(Frame(missing: count))
            return nil
        default: throw .malformed
        }
    }

    private mutating func readBulk(_ count: Int, _ input: inout ArraySlice<UInt8>) throws(Failure)
        -> RESPReply?
    {
        let piece = input.prefix(count + 2 - text.count)
        text += piece
        input = input[piece.endIndex...]
        guard text.count == count + 2 else { return nil }
        guard text[count] == 13, text[count + 1] == 10 else { throw .malformed }
        text.removeLast(2)
        defer { text = [] }
        step = .line
        return .bytes(text)
    }

    /// Puts a reply into the array that it belongs to. Returns what is complete then.
    private mutating func place(_ reply: RESPReply) -> RESPReply? {
        var reply = reply
        while var frame = frames.popLast() {
            frame.replies.append(reply)
            frame.missing -= 1
            guard frame.missing == 0 else {
                frames.append(frame)
                return nil
            }
            reply = .array(frame.replies)
        }
        elementCount = 0
        byteCount = 0
        return reply
    }

    private mutating func count(_ bytes: Int) throws(Failure) {
        guard bytes <= limits.replyByteCount - byteCount else { throw .limitExceeded }
        byteCount += bytes
    }

    /// Returns a length; `nil` for null.
    private static func length(_ digits: ArraySlice<UInt8>) throws(Failure) -> Int? {
        let number = try number(digits)
        guard number >= -1 else { throw .malformed }
        guard let count = Int(exactly: number) else { throw .limitExceeded }
        return count < 0 ? nil : count
    }

    /// Returns a number without a sign `+` and without leading zeros.
    private static func number(_ text: ArraySlice<UInt8>) throws(Failure) -> Int64 {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard let first = digits.first, first != UInt8(ascii: "0") || text.count == 1 else {
            throw .malformed
        }
        var number: Int64 = 0
        for byte in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { throw .malformed }
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isBeyond) = product.subtractingReportingOverflow(digit)
            // Summed as a negative number, whose range is larger.
            guard !isTooLarge, !isBeyond else { throw .malformed }
            number = sum
        }
        guard !isNegative else { return number }
        guard number > .min else { throw .malformed }
        return -number
    }
}
