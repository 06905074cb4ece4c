// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash function over bytes, in the shape that CryptoKit's have: one-shot, or fed piece by piece.
///
/// ``Legacy/MD5`` and ``Legacy/SHA1`` conform. The protocol exists so that what all hash functions share is
/// written once; it is not meant for conformances outside CredKit.
public protocol DigestAlgorithm: Sendable, CustomStringConvertible, CustomReflectable {
    /// What the function yields: a ``MessageDigest`` of its size.
    associatedtype Digest: RandomAccessCollection<UInt8>, Hashable, Sendable

    /// The name as it stands in checksum files, for instance `SHA256`.
    static var name: String { get }

    /// The size of a digest in bytes.
    static var digestByteCount: Int { get }

    /// The size in bytes of the blocks that the function works on, which HMAC pads its keys to.
    static var blockByteCount: Int { get }

    /// A function that nothing has been fed to.
    init()

    /// Feeds the next bytes of the message.
    ///
    /// - Parameter bytes: The next bytes, any number of them.
    mutating func update(_ bytes: Span<UInt8>)

    /// The digest of all that was fed so far. More can be fed afterwards.
    ///
    /// - Returns: The digest.
    func finalize() -> Digest

    /// The digest of all that was fed, leaving a state of zeros: for messages that are secret, and a little
    /// faster, since no copy of the state is made. Afterwards the function is of no further use.
    ///
    /// - Returns: The digest.
    mutating func finalizeAndWipe() -> Digest

    /// Overwrites the state, which holds the last bytes of the message, with zeros. Afterwards the function is
    /// of no further use.
    mutating func wipe()
}

extension DigestAlgorithm {
    /// The name, and nothing of what was fed.
    public var description: String { "‹\(Self.name)›" }

    /// A mirror without children: dumping a hash function shows nothing of what was fed.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Feeds the next bytes of the message.
    ///
    /// - Parameter data: The next bytes; an array, a `String.UTF8View` …
    @inlinable
    public mutating func update(data: some Collection<UInt8>) {
        data.withContiguousSpan { update($0) }
    }

    /// The digest of bytes.
    ///
    /// - Parameter data: The whole message; an array, a `String.UTF8View` …
    /// - Returns: The digest.
    @inlinable
    public static func hash(data: some Collection<UInt8>) -> Digest {
        data.withContiguousSpan { hash(data: $0) }
    }

    /// The digest of bytes.
    ///
    /// - Parameter data: The whole message.
    /// - Returns: The digest.
    @inlinable
    public static func hash(data: Span<UInt8>) -> Digest {
        var function = Self()
        function.update(data)
        return function.finalize()
    }

    /// The digest of a secret, read in place and wiped from the function's state.
    ///
    /// - Parameter secret: The whole message.
    /// - Returns: The digest.
    package static func hash(secret: some SecretInput) -> Digest {
        secret.withSecretBytes { hash(secret: $0) }
    }

    /// The digest of a secret, wiped from the function's state.
    static func hash(secret: Span<UInt8>) -> Digest {
        var function = Self()
        function.update(secret)
        return function.finalizeAndWipe()
    }
}
