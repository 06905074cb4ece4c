// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A request whose head is signed. Its content remains to be checked, with ``verifiedBody(_:limit:)`` or ``bodyCheck()``;
/// this includes checking that there is none.
public struct VerifiedRequest: Sendable, Hashable {
    /// The name of the key that signed the request.
    public let keyID: String
    /// The algorithm of the key.
    public let algorithm: MessageSignature.Algorithm
    /// The name of the signature, which is not signed.
    public let label: String
    /// What the signature covers, in order. Nothing else in the request is authentic.
    public let components: [MessageSignature.Component]
    /// When the signature was made.
    public let created: UnixTime
    /// The nonce, which is marked as used; `nil` if there is none, and the policy requires none.
    public let nonce: String?
    /// What the signature is for.
    public let tag: String?
    /// Whether content may follow.
    public let mayHaveContent: Bool

    private let digest: ContentDigest?

    init(_ signature: MessageSignature.Accepted, digest: ContentDigest?, mayHaveContent: Bool) {
        keyID = signature.keyID
        algorithm = signature.algorithm
        label = signature.label
        components = signature.components
        created = signature.created
        nonce = signature.nonce
        tag = signature.tag
        self.mayHaveContent = mayHaveContent
        self.digest = digest
    }

    /// Returns a check of the content, for content that is not collected in memory.
    ///
    /// - Returns: A check of no content so far.
    public func bodyCheck() -> BodyCheck { BodyCheck(mayHaveContent ? digest : nil) }
}

extension VerifiedRequest {
    /// The result of reading the content of a request.
    public enum Body: Sendable, Hashable {
        /// All of the content, verified; empty if there is none.
        case verified([UInt8])

        /// The content is not that of the signed digest: answer 401, as for all rejected requests.
        case rejected(RequestRejection)

        /// The content is longer than the limit: answer 413.
        case tooLarge
    }

    /// Reads all of the content, and returns it only if it is verified.
    ///
    /// Reading stops as soon as the content is too large or cannot match. The time is not limited: set a deadline for
    /// slow clients.
    ///
    /// - Parameters:
    ///   - pieces: The content in pieces, as they were received, before any content coding is undone.
    ///   - limit: The maximum length in bytes.
    /// - Returns: The content, or why there is none.
    /// - Throws: ``LoginServerError/contentFailed`` if the sequence threw, ``LoginServerError/cancelled`` if the task was
    ///   cancelled.
    public func verifiedBody<Pieces: AsyncSequence>(
        _ pieces: Pieces,
        limit: Int
    ) async throws(LoginServerError) -> Body where Pieces.Element == [UInt8] {
        try await LoginServerError.wrapping("cannot read the content of a request", code: .contentFailed) {
            var check = bodyCheck()
            var content: [UInt8] = []
            for try await piece in pieces {
                guard piece.count <= limit - content.count else { return .tooLarge }
                check.update(piece.span)
                guard check.canMatch else { break }
                content += piece
            }
            // Some sequences end when the task is cancelled.
            try Task.checkCancellation()
            return check.finish()
                ? .verified(content) : .rejected(RequestRejection(.wrongDigest, keyID: keyID))
        }
    }
}

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
