// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
