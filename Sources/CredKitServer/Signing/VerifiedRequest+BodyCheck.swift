// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension VerifiedRequest {
    /// A check of content that arrives in pieces. Until ``finish()`` has returned `true`, no piece is verified: neither act
    /// on the content nor answer.
    ///
    /// ```swift
    /// var check = request.bodyCheck()
    /// for try await piece in pieces {
    ///     check.update(piece.span)
    ///     try file.write(piece)                        // a temporary one, of a limited size
    /// }
    /// guard check.finish() else { … }                  // answer 401
    /// ```
    public struct BodyCheck: Sendable {
        private var digests: ContentDigest.Check?
        private var isEmpty = true

        init(_ digest: ContentDigest?) { digests = digest.map { ContentDigest.Check($0) } }

        /// Whether the content so far can be the beginning of verified content: without a digest there is only one without
        /// bytes.
        var canMatch: Bool { isEmpty || digests != nil }

        /// Appends a piece of the content.
        ///
        /// - Parameter bytes: The bytes as they were received, before any content coding is undone.
        public mutating func update(_ bytes: Span<UInt8>) {
            digests?.update(bytes)
            isEmpty = isEmpty && bytes.isEmpty
        }

        /// Returns whether the content is verified, after its last byte.
        ///
        /// - Returns: Whether the content is that of the signed digest; without one, whether it is empty.
        public func finish() -> Bool { digests.map(\.isMatch) ?? isEmpty }
    }
}
