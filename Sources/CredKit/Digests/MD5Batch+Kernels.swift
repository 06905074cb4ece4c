// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension MD5Batch {
    /// Hashes messages wherever they are.
    ///
    /// - Parameters:
    ///   - messages: At most ``messagesAtOnce``, in memory that stays as it is meanwhile.
    ///   - digests: Gets a digest for each.
    @usableFromInline
    func hash(
        _ messages: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        unsafe withUnsafeTemporaryAllocation(of: credkit_md5_message.self, capacity: messages.count) {
            table in
            for index in 0..<messages.count {
                let message = unsafe messages[index]
                unsafe table.initializeElement(
                    at: index,
                    to: credkit_md5_message(bytes: message.baseAddress, length: message.count)
                )
            }
            unsafe hash(UnsafeBufferPointer(table), into: &digests)
        }
    }

    /// Hashes messages that stand one behind the other, at most ``messagesAtOnce``.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - start: Where the first begins; then where the next one would.
    ///   - ends: Where they end.
    ///   - digests: Gets a digest for each.
    func hash(
        _ bytes: Span<UInt8>,
        from start: inout Int,
        endingAt ends: Span<Int>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        unsafe withUnsafeTemporaryAllocation(of: credkit_md5_message.self, capacity: ends.count) { table in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                for index in 0..<ends.count {
                    let end = ends[index]
                    precondition(
                        start <= end && end <= bytes.count,
                        "The ends must ascend and lie within the bytes."
                    )
                    let message = unsafe credkit_md5_message(
                        bytes: bytes.baseAddress.map { unsafe $0 + start },
                        length: end - start
                    )
                    unsafe table.initializeElement(at: index, to: message)
                    start = end
                }
            }
            unsafe hash(UnsafeBufferPointer(table), into: &digests)
        }
    }

    private func hash(
        _ messages: UnsafeBufferPointer<credkit_md5_message>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        precondition(
            digests.freeCapacity >= messages.count,
            "The output has less room than there are messages."
        )
        unsafe digests.withUnsafeMutableBufferPointer { buffer, count in
            // A digest is its sixteen bytes and nothing else.
            let target = unsafe UnsafeMutableRawPointer(buffer.baseAddress).map { unsafe $0 + 16 * count }
            let bytes = unsafe target?.assumingMemoryBound(to: UInt8.self)
            unsafe start.span.withUnsafeBufferPointer { start in
                unsafe credkit_md5_batch(
                    start.baseAddress,
                    startLength,
                    messages.baseAddress,
                    messages.count,
                    bytes
                )
            }
            if let outer {
                unsafe outer.span.withUnsafeBufferPointer { outer in
                    unsafe credkit_md5_of_digests(outer.baseAddress, startLength, bytes, messages.count)
                }
            }
            count += messages.count
        }
    }
}
