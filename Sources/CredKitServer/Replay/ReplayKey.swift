// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The key under which a proof or a user is remembered: a SHA-256, from which neither can be derived.
///
/// The key of a user with a common name can be guessed, so a store must not be publicly readable.
public struct ReplayKey: Sendable, Hashable, CustomStringConvertible {
    private let digest: MessageDigest<32>

    init(parts: [[UInt8]]) {
        var hashed = HashedParts()
        for part in parts { hashed.append(part.span) }
        digest = hashed.finish()
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
    init(challenge: String) {
        var hashed = HashedParts()
        hashed.append("one-time text")
        hashed.append(challenge)
        digest = hashed.finish()
    }

    /// The key as 64 lowercase hexadecimal digits, for example for the key of a database row.
    public var hex: String { digest.hex }

    /// The same as ``hex``.
    public var description: String { hex }
}
