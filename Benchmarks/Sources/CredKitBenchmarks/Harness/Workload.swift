// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// An operation of the library on one input, repeated in a loop without other work.
struct Workload {
    /// The operations, with their names in ``CoProcess``'s protocol.
    enum Operation: String {
        /// Copies the bytes to a new array, to measure memory speed.
        case copy
        /// Base64 as `[UInt8]`, into an existing buffer, and as `String`.
        case encode
        case encodeInto = "encode-into"
        case encodeString = "encode-string"
        /// Strict decoding to `[UInt8]` and into an existing buffer.
        case decode
        case decodeInto = "decode-into"
        /// MD5 of one message, and of ``batchCount`` messages at once: contiguous in memory, and as arrays.
        case md5Batch = "md5-batch"
        case md5BatchOfArrays = "md5-batch-arrays"
        case hmacBatch = "hmac-batch"
        case hmacBatchOfArrays = "hmac-batch-arrays"

        var isBatch: Bool {
            switch self {
            case .md5Batch, .md5BatchOfArrays, .hmacBatch, .hmacBatchOfArrays: true
            default: false
            }
        }
    }

    /// The number of messages in a batch.
    static let batchCount = 16
    static let key = Array("43c8233266edce38c2c9af0694e2107d".utf8)

    private let operation: Operation
    /// The input; for decoding, its Base64 text.
    private let input: [UInt8]
    private let messages: [[UInt8]]
    /// The contiguous messages, and the end of each.
    private let joined: [UInt8]
    private let ends: [Int]
    private let key = Legacy.HMACMD5.Key(Self.key)
    private let capacity: Int

    init(_ operation: Operation, _ data: [UInt8]) throws {
        self.operation = operation
        let isDecoding = operation == .decode || operation == .decodeInto
        input = isDecoding ? Array(Base64.standard.encode(data).utf8) : data
        messages = operation.isBatch ? Self.messages(of: data) : []
        joined = messages.flatMap { $0 }
        ends = messages.indices.map { ($0 + 1) * data.count }
        capacity = max(
            Base64.standard.encodedByteCount(of: input.count),
            Base64.standard.maximumDecodedByteCount(of: input.count)
        )
    }

    /// Creates a batch of messages with the input's length; no two are equal or share memory.
    static func messages(of data: [UInt8]) -> [[UInt8]] {
        (0..<batchCount).map { number in
            var message = data
            if !message.isEmpty { message[0] ^= UInt8(number) }
            return message
        }
    }

    /// Returns the result of one repetition for comparison.
    func result() throws -> [UInt8] {
        switch operation {
        case .copy: input
        case .encode: [UInt8](capacity: capacity) { Base64.standard.encode(input.span, into: &$0) }
        case .encodeInto: try intoMemory { Base64.standard.encode(input.span, into: &$0) }
        case .encodeString: Array(Base64.standard.encode(input.span).utf8)
        case .decode: try Base64.standard.decode(input.span)
        case .decodeInto: try intoMemory { try Base64.standard.decode(input.span, into: &$0) }
        case .md5Batch: digests { Legacy.MD5.hash(joined.span, endingAt: ends.span, into: &$0) }
        case .md5BatchOfArrays: Legacy.MD5.hashes(of: messages).flatMap { Array($0) }
        case .hmacBatch:
            digests { Legacy.HMACMD5.authenticate(joined.span, endingAt: ends.span, using: key, into: &$0) }
        case .hmacBatchOfArrays:
            Legacy.HMACMD5.authenticationCodes(for: messages, using: key).flatMap { Array($0) }
        }
    }

    /// Returns the processor time of a number of repetitions.
    func nanoseconds(iterations: Int) throws -> Int64 {
        // Aligned to a cache line: otherwise the alignment is random, which is visible with short inputs.
        let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
        let memory = raw.bindMemory(to: UInt8.self)
        // Untouched pages would cost as much as the work.
        memory.initialize(repeating: 0)
        defer { raw.deallocate() }
        let digests = UnsafeMutableBufferPointer<MessageDigest<16>>.allocate(capacity: Self.batchCount)
        defer { digests.deallocate() }
        let span = input.span
        var sum: UInt8 = 0
        let start = ThreadTime.seconds
        switch operation {
        case .copy:
            for _ in 0..<iterations {
                let copy = [UInt8](unsafeUninitializedCapacity: input.count) { buffer, count in
                    input.withUnsafeBufferPointer { _ = buffer.initialize(from: $0) }
                    count = input.count
                }
                sum ^= copy.last ?? 0
            }
        case .encode:
            let count = Base64.standard.encodedByteCount(of: span.count)
            for _ in 0..<iterations {
                let text = [UInt8](capacity: count) { Base64.standard.encode(span, into: &$0) }
                sum ^= text.last ?? 0
            }
        case .encodeInto:
            for _ in 0..<iterations {
                var output = OutputSpan(buffer: memory, initializedCount: 0)
                Base64.standard.encode(span, into: &output)
                sum ^= UInt8(truncatingIfNeeded: output.finalize(for: memory))
            }
        case .encodeString:
            for _ in 0..<iterations { sum ^= Base64.standard.encode(span).utf8.first ?? 0 }
        case .decode:
            for _ in 0..<iterations { sum ^= try Base64.standard.decode(span).last ?? 0 }
        case .decodeInto:
            for _ in 0..<iterations {
                var output = OutputSpan(buffer: memory, initializedCount: 0)
                try Base64.standard.decode(span, into: &output)
                sum ^= UInt8(truncatingIfNeeded: output.finalize(for: memory))
            }
        case .md5Batch:
            for _ in 0..<iterations {
                var output = OutputSpan(buffer: digests, initializedCount: 0)
                Legacy.MD5.hash(joined.span, endingAt: ends.span, into: &output)
                sum ^= UInt8(truncatingIfNeeded: output.finalize(for: digests))
            }
        case .hmacBatch:
            for _ in 0..<iterations {
                var output = OutputSpan(buffer: digests, initializedCount: 0)
                Legacy.HMACMD5.authenticate(joined.span, endingAt: ends.span, using: key, into: &output)
                sum ^= UInt8(truncatingIfNeeded: output.finalize(for: digests))
            }
        case .md5BatchOfArrays:
            for _ in 0..<iterations { sum ^= Legacy.MD5.hashes(of: messages)[0][0] }
        case .hmacBatchOfArrays:
            for _ in 0..<iterations {
                sum ^= Legacy.HMACMD5.authenticationCodes(for: messages, using: key)[0][0]
            }
        }
        let time = ThreadTime.seconds - start
        Self.sink = sum
        return Int64(time * 1e9)
    }

    private func digests(_ body: (inout OutputSpan<MessageDigest<16>>) -> Void) -> [UInt8] {
        [MessageDigest<16>](capacity: messages.count, initializingWith: body).flatMap { Array($0) }
    }

    private func intoMemory(_ body: (inout OutputSpan<UInt8>) throws -> Void) throws -> [UInt8] {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        defer { memory.deallocate() }
        var output = OutputSpan(buffer: memory, initializedCount: 0)
        try body(&output)
        return Array(memory[..<output.finalize(for: memory)])
    }

    /// Prevents the compiler from removing work whose result is unused.
    nonisolated(unsafe) private static var sink: UInt8 = 0
}
