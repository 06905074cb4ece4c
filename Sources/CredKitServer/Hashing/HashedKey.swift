// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A table key made from a name of any length. It is always 32 bytes, so that long names cannot increase the memory of
/// a table.
struct HashedKey: Hashable, Sendable {
    private let digest: MessageDigest<32>

    /// - Parameter parts: The parts of the key. The boundaries between the parts are significant.
    init(_ parts: String...) {
        var hashed = HashedParts()
        for part in parts { hashed.append(part) }
        digest = hashed.finish()
    }
}
