// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What a proof, or a user, is remembered by: a SHA-256, from which neither can be found.
///
/// The one of a user with an easy name can be guessed, so a store is no place for the public to read.
public struct ReplayKey: Sendable, Hashable, CustomStringConvertible {
    private let digest: MessageDigest<32>

    init(parts: [[UInt8]]) {
        var hashed = HashedParts()
        for part in parts { hashed.append(part.span) }
        digest = hashed.finish()
    }

    /// The key of a proof that was made for a minute: each user has one of their own.
    init(ofMinuteOf accountName: String, proof: MessageDigest<16>) {
        var hashed = HashedParts()
        hashed.append("minute")
        hashed.append(accountName)
        proof.withContiguousSpan { hashed.append($0) }
        digest = hashed.finish()
    }

    /// The key of a one-time text, which one login uses up for all users.
    init(oneTimeText: String) {
        var hashed = HashedParts()
        hashed.append("one-time text")
        hashed.append(oneTimeText)
        digest = hashed.finish()
    }

    /// The key as 64 lowercase hexadecimal digits, for the key of a row.
    public var hex: String { digest.hex }

    /// The same as ``hex``.
    public var description: String { hex }
}
