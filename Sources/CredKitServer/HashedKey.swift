// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A name of any length, as tables know it: always 32 bytes, so that nobody decides with long names how much memory a
/// table takes.
struct HashedKey: Hashable, Sendable {
    private let digest: MessageDigest<32>

    /// - Parameter parts: What the key is made of; where one part ends and the next begins counts.
    init(_ parts: String...) {
        digest = Self.digest(of: parts.map { Array($0.utf8) })
    }

    /// SHA-256 over parts, each behind its length.
    static func digest(of parts: [[UInt8]]) -> MessageDigest<32> {
        var function = SHA256()
        for part in parts {
            function.update(data: lengthBytes(part.count))
            function.update(data: part)
        }
        return function.finalizeAndWipe()
    }

    /// A length as eight bytes.
    private static func lengthBytes(_ count: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    }
}
