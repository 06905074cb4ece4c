// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

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
