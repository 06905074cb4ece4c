// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Bytes that must not leak: a password, a key, a token.
///
/// ```swift
/// let key = try SecretBytes(randomByteCount: 32)
/// let code = key.withSecretBytes { key in sign(message, with: key) }
/// print(key)                                              // ‹redacted›
/// ```
///
/// The bytes are stored outside the heap, in pages that are excluded from core dumps and locked into memory as far as
/// the system's limit allows (see ``isLocked``). An inaccessible page precedes and follows each region; small secrets
/// share pages. A copy shares the bytes, which are overwritten with zeros when the last copy is released. The value
/// prints, dumps and mirrors as `‹redacted›`, and the time of a comparison does not depend on where two secrets
/// differ.
///
/// It does not protect against code in the same process, a debugger with the right to attach, hibernation (locked
/// pages are part of the image), and copies made by code that was given the bytes.
public struct SecretBytes: Sendable {
    /// Immutable once initialized; the pool guards its own state.
    private final class Storage: Sendable {
        let allocation: SecretPool.Allocation
        let count: Int

        init(allocation: SecretPool.Allocation, count: Int) {
            self.allocation = allocation
            self.count = count
        }

        deinit { SecretPool.shared.release(allocation) }
    }

    /// `nil` if there are no bytes.
    private let storage: Storage?

    /// Creates a secret whose bytes `body` writes.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes that `body` may write, at least 0.
    ///   - body: Receives the memory, and writes the bytes of the secret.
    /// - Throws: ``SecretMemoryError`` when there is no guarded memory left; then `body` is not called.
    public init(
        capacity: Int,
        initializingWith body: (inout OutputSpan<UInt8>) -> Void
    ) throws(SecretMemoryError) {
        precondition(capacity >= 0, "The capacity is negative.")
        guard capacity > 0 else {
            storage = nil
            var none = OutputSpan<UInt8>()
            body(&none)
            return
        }
        let allocation = try SecretPool.shared.allocate(capacity)
        let buffer = unsafe allocation.bytes.extracting(..<capacity)
        var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        body(&output)
        storage = Storage(allocation: allocation, count: unsafe output.finalize(for: buffer))
    }

    /// Copies a password or key into guarded memory. The original stays unchanged in its own memory.
    ///
    /// - Parameter secret: The bytes, or text whose UTF-8 is copied.
    /// - Throws: ``SecretMemoryError`` when there is no guarded memory left.
    public init(_ secret: some SecretInput) throws(SecretMemoryError) {
        self = try secret.withSecretBytes { (bytes) throws(SecretMemoryError) in
            try SecretBytes(capacity: bytes.count) { output in
                for index in bytes.indices { output.append(bytes[index]) }
            }
        }
    }

    /// Creates a secret of random bytes from the system's generator.
    ///
    /// - Parameter count: The number of bytes, at least 0; 32 make a key for AES-256 or HMAC-SHA256.
    /// - Throws: ``SecretMemoryError`` when there is no guarded memory left.
    public init(randomByteCount count: Int) throws(SecretMemoryError) {
        try self.init(capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                unsafe SecureRandom.fill(buffer)
                initializedCount = count
            }
        }
    }

    /// The number of bytes. It is not protected.
    public var count: Int { storage?.count ?? 0 }

    /// Whether there are no bytes.
    public var isEmpty: Bool { count == 0 }

    /// Whether the bytes are locked into memory, so that they cannot reach the swap space. They are not locked when
    /// the process has reached its limit (`ulimit -l`, `RLIMIT_MEMLOCK`); every other protection still applies. See
    /// ``SecretMemory/status`` for the whole process.
    public var isLocked: Bool { storage?.allocation.isLocked ?? true }

    /// Calls `body` with the bytes. There is no other access to them.
    ///
    /// - Parameter body: Receives the bytes, which are valid until it returns. It must not keep a copy.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw.
    public func withSecretBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let storage else { return try body(Span<UInt8>()) }
        // The pages stay mapped as long as the storage is alive.
        defer { withExtendedLifetime(storage) {} }
        return try body(
            unsafe UnsafeBufferPointer(storage.allocation.bytes).extracting(..<storage.count).span
        )
    }
}

extension SecretBytes: Equatable {
    /// Returns whether two secrets are equal, in a time that depends on their lengths only.
    public static func == (left: Self, right: Self) -> Bool {
        left.withSecretBytes { left in right.withSecretBytes { right in ConstantTime.areEqual(left, right) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `‹redacted›`, never the bytes.
    public var description: String { "‹redacted›" }

    /// `‹redacted›`, never the bytes.
    public var debugDescription: String { description }

    /// A mirror without children: dumping a secret reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes {
    /// Creates a secret that a cipher writes: `body` returns the number of bytes, or `nil` if it fails.
    static func plaintext(
        capacity: Int,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int?
    ) throws(CipherError) -> SecretBytes {
        var hasFailed = false
        let bytes: SecretBytes
        do throws(SecretMemoryError) {
            bytes = try SecretBytes(capacity: capacity) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                    let count = unsafe body(buffer)
                    hasFailed = count == nil
                    initializedCount = count ?? 0
                }
            }
        } catch {
            throw .outOfMemory
        }
        guard !hasFailed else { throw .outOfMemory }
        return bytes
    }
}

extension SecretBytes {
    /// Creates a secret of exactly `count` bytes, at least 1, that `body` fills in, or throws the error that `body`
    /// returns.
    static func derived(
        count: Int,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> PasswordError?
    ) throws(PasswordError) -> SecretBytes {
        try unsafe filled(count: count, outOfMemory: PasswordError.outOfMemory, body)
    }

    /// Copies a digest into a secret.
    static func copying(_ digest: some Collection<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe derived(count: digest.count) { output in
            for (index, byte) in digest.enumerated() { unsafe output[index] = byte }
            return nil
        }
    }

    /// Copies bytes into a secret.
    static func copying(_ bytes: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        try unsafe derived(count: bytes.count) { output in
            for index in bytes.indices { unsafe output[index] = bytes[index] }
            return nil
        }
    }
}

extension SecretBytes {
    /// The bytes in an ordinary array, for digests that are stored in a table anyway.
    var copiedBytes: [UInt8] { withSecretBytes { bytes in bytes.indices.map { bytes[$0] } } }

    /// Creates a secret of exactly `count` bytes that `body` fills in.
    ///
    /// - Parameters:
    ///   - count: The number of bytes, at least 1.
    ///   - outOfMemory: The error to throw if there is not enough memory.
    ///   - body: Fills in the bytes, which are initially 0; or returns the error that prevented it.
    /// - Returns: The secret.
    /// - Throws: `outOfMemory`, or the error that `body` returned.
    static func filled<Failure: Error>(
        count: Int,
        outOfMemory: Failure,
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> Failure?
    ) throws(Failure) -> SecretBytes {
        var failure: Failure?
        let bytes: SecretBytes
        do throws(SecretMemoryError) {
            bytes = try SecretBytes(capacity: count) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                    unsafe buffer.initialize(repeating: 0)
                    failure = unsafe body(buffer)
                    initializedCount = count
                }
            }
        } catch {
            throw outOfMemory
        }
        if let failure { throw failure }
        return bytes
    }
}

extension SecretBytes {
    /// Returns the bytes without one line feed at the end, which `echo` and editors append.
    ///
    /// - Returns: The same secret, or a shorter copy.
    /// - Throws: ``SecretMemoryError`` when there is no guarded memory left.
    package func withoutTrailingNewline() throws(SecretMemoryError) -> SecretBytes {
        try withSecretBytes { (bytes) throws(SecretMemoryError) in
            guard bytes.count > 0, bytes[bytes.count - 1] == UInt8(ascii: "\n") else { return self }
            return try SecretBytes(capacity: bytes.count - 1) {
                for index in 0..<(bytes.count - 1) { $0.append(bytes[index]) }
            }
        }
    }
}
