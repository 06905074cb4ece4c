// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash function over bytes, with an interface like CryptoKit's: one-shot or incremental.
///
/// ``Legacy/MD5`` and ``Legacy/SHA1`` conform. The protocol contains the code that all hash functions share; it is
/// not meant for conformances outside CredKit.
public protocol DigestAlgorithm: Sendable, CustomStringConvertible, CustomReflectable {
    /// The result of the function: a ``MessageDigest`` of its size.
    associatedtype Digest: RandomAccessCollection<UInt8>, Hashable, Sendable

    /// The name that is used in checksum files, for instance `SHA256`.
    static var name: String { get }

    /// The size of a digest in bytes.
    static var digestByteCount: Int { get }

    /// The block size of the function in bytes, to which HMAC pads its keys.
    static var blockByteCount: Int { get }

    /// Creates a computation for an empty message.
    init()

    /// Appends bytes to the message.
    ///
    /// - Parameter bytes: The next bytes, any number of them.
    mutating func update(_ bytes: Span<UInt8>)

    /// Returns the digest of the message so far. More bytes can be appended afterwards.
    ///
    /// - Returns: The digest.
    func finalize() -> Digest

    /// Returns the digest of the message and overwrites the state with zeros, for messages that are secret. It is
    /// also slightly faster, because the state is not copied. The value must not be used afterwards.
    ///
    /// - Returns: The digest.
    mutating func finalizeAndWipe() -> Digest

    /// Overwrites the state, which contains the last bytes of the message, with zeros. The value must not be used
    /// afterwards.
    mutating func wipe()
}

extension DigestAlgorithm {
    /// The name, without the message.
    public var description: String { "‹\(Self.name)›" }

    /// A mirror without children: dumping a hash function reveals nothing of the message.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Appends bytes to the message.
    ///
    /// - Parameter data: The next bytes; an array, a `String.UTF8View` …
    @inlinable
    public mutating func update(data: some Collection<UInt8>) {
        data.withContiguousSpan { update($0) }
    }

    /// Returns the digest of bytes.
    ///
    /// - Parameter data: The whole message; an array, a `String.UTF8View` …
    /// - Returns: The digest.
    @inlinable
    public static func hash(data: some Collection<UInt8>) -> Digest {
        data.withContiguousSpan { hash(data: $0) }
    }

    /// Returns the digest of bytes.
    ///
    /// - Parameter data: The whole message.
    /// - Returns: The digest.
    @inlinable
    public static func hash(data: Span<UInt8>) -> Digest {
        var function = Self()
        function.update(data)
        return function.finalize()
    }

    /// Returns the digest of a secret, which is read in place and wiped from the function's state.
    ///
    /// - Parameter secret: The whole message.
    /// - Returns: The digest.
    package static func hash(secret: some SecretInput) -> Digest {
        secret.withSecretBytes { hash(secret: $0) }
    }

    /// Returns the digest of a secret, which is wiped from the function's state.
    static func hash(secret: Span<UInt8>) -> Digest {
        var function = Self()
        function.update(secret)
        return function.finalizeAndWipe()
    }
}
