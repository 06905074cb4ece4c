// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The key under which a store remembers a proof, a name, an address or a token: a SHA-256 of its parts.
///
/// It is always 32 bytes, so long names cannot increase the memory of a store, and no character of a name can be
/// mistaken for syntax. Names are compared as UTF-8: `é` as one character and as two are different keys.
///
/// A proof or token cannot be derived from its key. A common name can be guessed from it, so a store must not be
/// publicly readable.
public struct StoreKey: Sendable, Hashable, CustomStringConvertible {
    private let digest: MessageDigest<32>

    /// Creates a key from texts. The boundaries between the texts are significant.
    ///
    /// - Parameter parts: The texts. Begin with one that names the purpose, such as `"account"`, so that keys of
    ///   different purposes are different.
    public init(_ parts: String...) {
        var hashed = HashedParts()
        for part in parts { hashed.append(part) }
        digest = hashed.finish()
    }

    /// Reads a key that a store has kept.
    ///
    /// - Parameter bytes: The ``bytes`` of the key. Any other number of them than 32 is no key.
    public init?(bytes: some Collection<UInt8>) {
        guard let digest = MessageDigest<32>(bytes: bytes) else { return nil }
        self.digest = digest
    }

    /// Creates the key of a proof for a minute: each user has their own.
    init(ofMinuteOf accountName: String, proof: MessageDigest<16>) {
        var hashed = HashedParts()
        hashed.append("minute")
        hashed.append(accountName)
        proof.withContiguousSpan { hashed.append($0) }
        digest = hashed.finish()
    }

    /// Creates the key of a one-time challenge, which one login uses up for all users.
    init(challenge: String) { self.init("challenge", challenge) }

    /// Creates the key of a recovery code, which has 20 characters.
    init(recoveryCode: Span<UInt8>, account: String) {
        var hashed = HashedParts()
        hashed.append("recovery code")
        hashed.append(account)
        hashed.append(recoveryCode)
        digest = hashed.finish()
    }

    /// The 32 bytes of the key, for a binary column of a database.
    public var bytes: [UInt8] { digest.bytes }

    /// The key as 64 lowercase hexadecimal digits, for example for a name in a key-value store.
    public var hex: String { digest.hex }

    /// The same as ``hex``.
    public var description: String { hex }
}

/// SHA-256 over parts, each prefixed by its length, so that the boundaries between the parts are significant. Allocates
/// nothing.
struct HashedParts {
    private var function = SHA256()

    /// Appends the next part.
    mutating func append(_ part: Span<UInt8>) {
        let length = InlineArray<8, UInt8> { UInt8(truncatingIfNeeded: part.count >> ($0 * 8)) }
        function.update(length.span)
        function.update(part)
    }

    /// Appends the UTF-8 of a text as the next part.
    mutating func append(_ part: String) { append(part.utf8Span.span) }

    /// Returns the digest. No part can be appended afterwards.
    mutating func finish() -> MessageDigest<32> { function.finalizeAndWipe() }
}
