// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

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

extension DigestAlgorithm {
    /// Returns the digest of a file's content, which is read in pieces: the memory used does not grow with the file.
    ///
    /// ```swift
    /// print(try Legacy.MD5.hash(contentsOfFile: "/etc/hostname").hex)
    /// ```
    ///
    /// - Parameter path: The path of a file, a pipe or a device.
    /// - Returns: The digest.
    /// - Throws: ``FileError`` if the file cannot be opened or read.
    public static func hash(contentsOfFile path: String) throws(FileError) -> Digest {
        // For the system the path would end at a NUL, and would name another file.
        guard !path.utf8.contains(0) else { throw FileError(.open, errorNumber: EINVAL) }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(.open, errorNumber: errno) }
        defer { close(descriptor) }
        return try hash(fileDescriptor: descriptor)
    }

    /// Returns the digest of the data that can be read from a file descriptor, from its current position to its end.
    ///
    /// - Parameter descriptor: An open descriptor; it stays open.
    /// - Returns: The digest.
    /// - Throws: ``FileError`` if reading fails.
    public static func hash(fileDescriptor descriptor: Int32) throws(FileError) -> Digest {
        var function = Self()
        try FileReader(descriptor: descriptor).forEachChunk(orThrow: { $0 }) { (chunk) throws(FileError) in
            function.update(chunk)
        }
        return function.finalize()
    }
}

extension DigestAlgorithm {
    /// Returns the digest of a password and a salt, as tables of the 2000s have it. Each round after the first hashes
    /// the lowercase hexadecimal digits of the round before, without the salt.
    static func saltedHash<let size: Int>(
        of password: Span<UInt8>,
        salt: [UInt8],
        isPrefix: Bool = false,
        rounds: Int = 1
    ) -> Digest where Digest == MessageDigest<size> {
        var function = Self()
        if isPrefix { function.update(salt.span) }
        function.update(password)
        if !isPrefix { function.update(salt.span) }
        var digest = function.finalizeAndWipe()
        for _ in stride(from: 1, to: rounds, by: 1) {
            digest = digest.withSecretHex { hash(secret: $0) }
        }
        return digest
    }
}
