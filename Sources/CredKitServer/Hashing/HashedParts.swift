// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// SHA-256 over parts, each behind its length, so that it counts where one part ends and the next begins. Allocates
/// nothing.
struct HashedParts {
    private var function = SHA256()

    /// Feed the next part.
    mutating func append(_ part: Span<UInt8>) {
        let length = InlineArray<8, UInt8> { UInt8(truncatingIfNeeded: part.count >> ($0 * 8)) }
        function.update(length.span)
        function.update(part)
    }

    /// Feed the UTF-8 of a text as the next part.
    mutating func append(_ part: String) { append(part.utf8Span.span) }

    /// Return the digest. Afterwards nothing more can be fed.
    mutating func finish() -> MessageDigest<32> { function.finalizeAndWipe() }
}
