// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitKernels

extension MD5Batch {
    /// Hashes messages at separate places in memory.
    ///
    /// - Parameters:
    ///   - messages: At most ``messagesAtOnce``, in memory that does not change during the call.
    ///   - digests: Receives one digest per message.
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

    /// Hashes messages that are stored contiguously, at most ``messagesAtOnce``.
    ///
    /// - Parameters:
    ///   - bytes: The messages.
    ///   - start: The offset of the first message; afterwards that of the message after the last.
    ///   - ends: The offsets of the ends of the messages.
    ///   - digests: Receives one digest per message.
    func hash(
        _ bytes: Span<UInt8>,
        from start: inout Int,
        endingAt ends: Span<Int>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        unsafe withUnsafeTemporaryAllocation(of: credkit_md5_message.self, capacity: Self.messagesAtOnce) {
            table in
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
            unsafe hash(UnsafeBufferPointer(rebasing: table[..<ends.count]), into: &digests)
        }
    }

    @inline(__always)
    private func hash(
        _ messages: UnsafeBufferPointer<credkit_md5_message>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        precondition(
            digests.freeCapacity >= messages.count,
            "The output has too little capacity for the digests."
        )
        // Lanes take the time of two to three messages, however few of them are used.
        if messages.count == 1, let key {
            let message = unsafe messages[0]
            let bytes = unsafe UnsafeBufferPointer(start: message.bytes, count: message.length)
            digests.append(HMAC<Legacy.MD5>.code(of: unsafe bytes.span, using: key.prepared))
            return
        }
        unsafe digests.withUnsafeMutableBufferPointer { buffer, count in
            let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
            // A digest consists only of its sixteen bytes.
            unsafe UnsafeMutableRawBufferPointer(target).withMemoryRebound(to: UInt8.self) { bytes in
                unsafe hash(messages, to: bytes.baseAddress)
            }
            count += messages.count
        }
    }

    @inline(__always)
    private func hash(
        _ messages: UnsafeBufferPointer<credkit_md5_message>,
        to digests: UnsafeMutablePointer<UInt8>?
    ) {
        guard let key else {
            unsafe credkit_md5_batch(credkit_md5_start(), 0, messages.baseAddress, messages.count, digests)
            return
        }
        // Read in place: a copy of these states would be as good as the key to an attacker who finds it.
        unsafe key.prepared.states.withWords { inner, outer in
            let block = UInt64(Legacy.MD5.blockByteCount)
            unsafe credkit_md5_batch(inner, block, messages.baseAddress, messages.count, digests)
            unsafe credkit_md5_of_digests(outer, block, digests, messages.count)
        }
    }
}

extension HMAC<Legacy.MD5>.States {
    /// Calls `body` with the four words of the inner and of the outer state, in place.
    fileprivate func withWords(_ body: (UnsafePointer<UInt32>, UnsafePointer<UInt32>) -> Void) {
        unsafe withMemory { states in
            // The state begins with its four words.
            let inner = unsafe UnsafeRawPointer(states).assumingMemoryBound(to: UInt32.self)
            let outer = unsafe UnsafeRawPointer(states + 1).assumingMemoryBound(to: UInt32.self)
            unsafe body(inner, outer)
        }
    }
}
