// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What a proof, or a user, is remembered by: a SHA-256, from which neither can be found.
///
/// The one of a user with an easy name can be guessed, so a store is no place for the public to read.
public struct ReplayKey: Sendable, Hashable, CustomStringConvertible {
    private let digest: MessageDigest<32>

    init(parts: [[UInt8]]) {
        digest = HashedKey.digest(of: parts)
    }

    /// The key as 64 lowercase hexadecimal digits, for the key of a row.
    public var hex: String { digest.hex }

    /// The same as ``hex``.
    public var description: String { hex }
}
