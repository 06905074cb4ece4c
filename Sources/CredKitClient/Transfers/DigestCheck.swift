// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// Checks all digests of a file while it is read once. What several responses say about the same bytes is computed once.
struct DigestCheck {
    private struct Subject: Hashable {
        let algorithm: ContentDigest.Algorithm
        let range: Range<Int64>

        init(_ digest: DownloadDigest) { (algorithm, range) = (digest.algorithm, digest.range) }
    }

    private var hashes: [(subject: Subject, hash: ContentDigest.Computation)] = []
    private let digests: [DownloadDigest]
    /// The bytes to read.
    let range: Range<Int64>

    init(_ digests: [DownloadDigest]) {
        self.digests = digests
        var seen: Set<Subject> = []
        for digest in digests where seen.insert(Subject(digest)).inserted {
            hashes.append((Subject(digest), ContentDigest.Computation(digest.algorithm)))
        }
        let start = digests.map(\.range.lowerBound).min() ?? 0
        range = start..<max(start, digests.map(\.range.upperBound).max() ?? 0)
    }

    /// Adds bytes of the file. Each piece must begin where the one before ended.
    mutating func update(_ bytes: [UInt8], at position: Int64) {
        let piece = position..<position + Int64(bytes.count)
        for index in hashes.indices {
            let part = hashes[index].subject.range.clamped(to: piece)
            guard !part.isEmpty else { continue }
            let indices = Int(part.lowerBound - position)..<Int(part.upperBound - position)
            hashes[index].hash.update(bytes.span.extracting(indices))
        }
    }

    /// Whether all digests are those of the bytes.
    var isIntact: Bool {
        let computed = Dictionary(hashes.map { ($0.subject, $0.hash.digest) }) { first, _ in first }
        return digests.allSatisfy { computed[Subject($0)] == $0.value }
    }
}

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
