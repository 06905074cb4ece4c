// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// A digest of bytes of a file that the server has sent, RFC 9530.
struct DownloadDigest: Sendable {
    let algorithm: ContentDigest.Algorithm
    let value: [UInt8]
    let range: Range<Int64>

    /// The digests of a response that can be checked. Unknown functions and malformed fields are ignored, as RFC 9530
    /// allows. A field with a digest twice, or with one that is malformed beside a good one, is malformed as a whole: a
    /// server that says two things says nothing. No signature covers these fields, so they detect accidents only.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - content: The bytes of the file that it contains.
    ///   - byteCount: The size of the whole file.
    /// - Returns: The digests.
    static func all(in head: HTTPResponse, content: Range<Int64>, of byteCount: Int64) -> [Self] {
        fields(contentDigest, head).map { Self(algorithm: $0.algorithm, value: $0.bytes, range: content) }
            + fields(reprDigest, head).map {
                Self(algorithm: $0.algorithm, value: $0.bytes, range: 0..<byteCount)
            }
    }

    private static let contentDigest = HTTPField.Name("Content-Digest")
    private static let reprDigest = HTTPField.Name("Repr-Digest")

    private static func fields(_ name: HTTPField.Name?, _ head: HTTPResponse) -> [ContentDigest.Value] {
        let lines = head.headerFields.filter { $0.name == name }.map(\.value)
        return ContentDigest(fieldLines: lines)?.values ?? []
    }
}
