// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A name of any length, as tables know it: always 32 bytes, so that nobody decides with long names how much memory a
/// table takes.
struct HashedKey: Hashable, Sendable {
    private let digest: MessageDigest<32>

    /// - Parameter parts: What the key is made of; where one part ends and the next begins counts.
    init(_ parts: String...) {
        var hashed = HashedParts()
        for part in parts { hashed.append(part) }
        digest = hashed.finish()
    }
}
