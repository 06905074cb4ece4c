// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// MD5, or HMAC-MD5 under one key, of many messages: sixteen at once, each in a lane of vector registers.
@usableFromInline
struct MD5Batch {
    /// The four words of a state of MD5.
    typealias State = InlineArray<4, UInt32>

    /// How many messages are looked at before the first is hashed, so that lanes whose message was short find more.
    @usableFromInline
    static let messagesAtOnce = 64

    /// The state that each message starts from, and the bytes that were fed to it.
    let start: State
    let startLength: UInt64

    /// The state that the digest is fed to, for HMAC.
    let outer: State?

    /// Plain MD5.
    @usableFromInline
    init() {
        start = MD5State().words
        startLength = 0
        outer = nil
    }

    /// HMAC-MD5.
    @usableFromInline
    init(key: Legacy.HMACMD5.Key) {
        start = key.prepared.states.inner.words
        outer = key.prepared.states.outer.words
        startLength = UInt64(Legacy.MD5.blockByteCount)
    }

    /// The digests of messages, each read in place.
    @inlinable
    func digests(of messages: some Collection<some Collection<UInt8>>) -> [MessageDigest<16>] {
        [MessageDigest<16>](capacity: messages.count) { digests in
            unsafe withUnsafeTemporaryAllocation(
                of: UnsafeBufferPointer<UInt8>.self,
                capacity: Self.messagesAtOnce
            ) { places in
                var index = messages.startIndex
                while index != messages.endIndex {
                    unsafe hash(messages, from: &index, places, filled: 0, into: &digests)
                }
            }
        }
    }

    /// Notes where one message is, and goes on to the next while that is accessed; at the last, hashes all of them.
    @inlinable
    func hash<Messages: Collection>(
        _ messages: Messages,
        from index: inout Messages.Index,
        _ places: UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>,
        filled: Int,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) where Messages.Element: Collection<UInt8> {
        guard filled < places.count && index != messages.endIndex else {
            unsafe hash(UnsafeBufferPointer(rebasing: places[..<filled]), into: &digests)
            return
        }
        let message = messages[index]
        messages.formIndex(after: &index)
        message.withContiguousSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe places.initializeElement(at: filled, to: bytes)
                unsafe hash(messages, from: &index, places, filled: filled + 1, into: &digests)
            }
        }
    }

    /// The digests of messages that stand one behind the other.
    func hash(
        _ bytes: Span<UInt8>,
        endingAt ends: Span<Int>,
        into digests: inout OutputSpan<MessageDigest<16>>
    ) {
        var start = 0
        var rest = ends
        while !rest.isEmpty {
            hash(bytes, from: &start, endingAt: rest.extracting(first: Self.messagesAtOnce), into: &digests)
            rest = rest.extracting(droppingFirst: Self.messagesAtOnce)
        }
    }
}
