// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The result of a hash function or of a message authentication code: a fixed number of bytes.
///
/// A digest is a collection of its bytes, so it can be passed to ``Base64`` or to another hash function. The time of
/// a comparison does not depend on where two digests differ. Printing a digest shows only its size, because many
/// digests here are computed from passwords; ``hex`` is its text.
public struct MessageDigest<let byteCount: Int>: Sendable {
    private var storage: InlineArray<byteCount, UInt8>

    /// Creates a digest whose bytes `body` fills in.
    init(initializingWith body: (inout MutableSpan<UInt8>) -> Void) {
        storage = InlineArray(repeating: 0)
        var span = storage.mutableSpan
        body(&span)
    }

    /// Creates a digest from its bytes; `nil` unless there are exactly `byteCount`.
    ///
    /// - Parameter bytes: The bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == byteCount else { return nil }
        storage = InlineArray(repeating: 0)
        for (index, byte) in bytes.enumerated() { storage[index] = byte }
    }

    /// Creates a digest from its text; `nil` if the text is malformed.
    ///
    /// - Parameter hex: Twice as many hexadecimal digits as the digest has bytes, in either case.
    public init?(hex: some StringProtocol) {
        guard let bytes = try? Hex.decode(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Creates a digest from its text in memory, without allocating memory; `nil` if the text is malformed.
    ///
    /// - Parameter digits: Twice as many hexadecimal digits as the digest has bytes, in either case.
    package init?(hexDigits digits: Span<UInt8>) {
        guard digits.count == 2 * byteCount else { return nil }
        var isValid = false
        self.init { bytes in
            isValid = unsafe digits.withUnsafeBufferPointer { digits in
                unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                    unsafe HexKernel.decode(digits, to: bytes.baseAddress) == digits.count
                }
            }
        }
        guard isValid else { return nil }
    }

    /// The digest as lowercase hexadecimal digits, two per byte.
    public var hex: String { Hex.encode(storage.span) }

    /// Calls `body` with the text of ``hex``, and wipes it afterwards: for digests that are secret.
    func withSecretHex<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount * 2) { buffer in
            defer { unsafe Wiping.wipe(buffer) }
            var text = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            Hex.encode(storage.span, into: &text)
            let count = unsafe text.finalize(for: buffer)
            return body(unsafe buffer.extracting(..<count).span)
        }
    }

    /// The digest as an array.
    public var bytes: [UInt8] { Array(self) }
}

extension MessageDigest: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }

    /// The number of bytes.
    public var endIndex: Int { byteCount }

    /// The byte at a position.
    public subscript(position: Int) -> UInt8 { storage[position] }

    /// Calls `body` with the bytes in place.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try unsafe storage.span.withUnsafeBufferPointer { (buffer) in try unsafe body(buffer) }
    }
}

extension MessageDigest: Hashable {
    /// Returns whether two digests are equal, in a time that does not depend on where they differ.
    public static func == (left: Self, right: Self) -> Bool {
        ConstantTime.areEqual(left.storage.span, right.storage.span)
    }

    /// Feeds the bytes to a hasher.
    public func hash(into hasher: inout Hasher) {
        for index in indices { hasher.combine(storage[index]) }
    }
}

extension MessageDigest: CustomStringConvertible, CustomReflectable {
    /// The size of the digest, without its bytes, which ``hex`` returns.
    public var description: String { "‹digest of \(byteCount) bytes›" }

    /// A mirror without children: dumping a digest reveals only its size.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
