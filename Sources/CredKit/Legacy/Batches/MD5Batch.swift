// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// MD5, or HMAC-MD5 under one key, of many messages: sixteen at once, each in a lane of vector registers.
@usableFromInline
struct MD5Batch {
    /// The number of messages that are collected before the first is hashed, so that lanes with short messages get
    /// more work. Each message takes a stack frame, see ``hash(_:from:_:filled:into:by:)``.
    @usableFromInline
    static let messagesAtOnce = 32

    /// The key for HMAC; `nil` for plain MD5.
    let key: Legacy.HMACMD5.Key?

    /// Creates a batch for plain MD5, or for HMAC-MD5 with a key.
    @usableFromInline
    init(key: Legacy.HMACMD5.Key? = nil) { self.key = key }

    /// Returns the digests of messages, each read in place.
    @inlinable
    func digests<Messages: Collection, Access: MessageAccess<Messages.Element>>(
        of messages: Messages,
        by access: Access.Type
    ) -> [MessageDigest<16>] {
        [MessageDigest<16>](capacity: messages.count) { digests in
            unsafe withUnsafeTemporaryAllocation(
                of: UnsafeBufferPointer<UInt8>.self,
                capacity: Self.messagesAtOnce
            ) { places in
                var index = messages.startIndex
                while index != messages.endIndex {
                    unsafe hash(messages, from: &index, places, filled: 0, into: &digests, by: access)
                }
            }
        }
    }

    /// Records the place of one message and continues with the next while the message is accessed; after the last,
    /// hashes all of them.
    @inlinable
    func hash<Messages: Collection, Access: MessageAccess<Messages.Element>>(
        _ messages: Messages,
        from index: inout Messages.Index,
        _ places: UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>,
        filled: Int,
        into digests: inout OutputSpan<MessageDigest<16>>,
        by access: Access.Type
    ) {
        guard filled < places.count && index != messages.endIndex else {
            unsafe hash(UnsafeBufferPointer(rebasing: places[..<filled]), into: &digests)
            return
        }
        let message = messages[index]
        messages.formIndex(after: &index)
        access.read(message) { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe places.initializeElement(at: filled, to: bytes)
                unsafe hash(messages, from: &index, places, filled: filled + 1, into: &digests, by: access)
            }
        }
    }

    /// Hashes messages that are stored contiguously.
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

/// A way to read the bytes of a message in place.
@usableFromInline
protocol MessageAccess<Message> {
    associatedtype Message

    /// Calls `body` with the bytes.
    static func read(_ message: Message, _ body: (Span<UInt8>) -> Void)
}

/// Messages that are collections of their bytes.
@usableFromInline
enum CollectionAccess<Message: Collection<UInt8>>: MessageAccess {
    @inlinable
    static func read(_ message: Message, _ body: (Span<UInt8>) -> Void) { message.withContiguousSpan(body) }
}

/// Messages that are secrets.
enum SecretAccess<Message: SecretInput>: MessageAccess {
    static func read(_ message: Message, _ body: (Span<UInt8>) -> Void) { message.withSecretBytes(body) }
}
