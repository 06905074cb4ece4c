// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The value of the fields `Content-Digest` and `Repr-Digest`, by [RFC 9530](https://www.rfc-editor.org/rfc/rfc9530).
///
/// ```swift
/// let digest = ContentDigest(of: body)
/// print(digest.fieldValue)                          // sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:
/// ContentDigest(fieldLines: lines)?.matches(body)   // nil if there is no digest that can be checked
/// ```
///
/// A digest alone protects against accidents. It protects against attackers if a signature covers the field; see
/// ``MessageSignature``.
public struct ContentDigest: Hashable, Sendable {
    /// A hash function that is not weak.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        /// SHA-256, 32 bytes.
        case sha256 = "sha-256"
        /// SHA-512, 64 bytes.
        case sha512 = "sha-512"
    }

    /// A function with the digest that it is said to result in.
    package struct Value: Hashable, Sendable {
        package let algorithm: Algorithm
        package let bytes: [UInt8]
    }

    /// At least one, no function twice.
    package let values: [Value]

    /// Computes the digest of content.
    ///
    /// - Parameters:
    ///   - content: The bytes as they are sent, after any content coding.
    ///   - algorithm: The hash function.
    @inlinable
    public init(of content: some Collection<UInt8>, algorithm: Algorithm = .sha256) {
        self = content.withContiguousSpan { ContentDigest(of: $0, algorithm: algorithm) }
    }

    /// Computes the digest of content.
    ///
    /// - Parameters:
    ///   - content: The bytes as they are sent, after any content coding.
    ///   - algorithm: The hash function.
    public init(of content: Span<UInt8>, algorithm: Algorithm = .sha256) {
        var computation = Computation(algorithm)
        computation.update(content)
        self.init(computation)
    }

    /// Creates the digest of content that was hashed in pieces.
    ///
    /// - Parameter computation: The computation, after the last piece.
    public init(_ computation: Computation) {
        values = [Value(algorithm: computation.algorithm, bytes: computation.digest)]
    }

    /// Parses a field. The result is `nil` if the field is missing or malformed, or contains no digest by a known
    /// function.
    ///
    /// Unknown and weak functions are ignored, as RFC 9530 requires. The field is malformed as a whole if the value of one
    /// known function is no byte sequence, or if any function or parameter occurs twice: RFC 9651 would use the last one,
    /// and another parser of a signed message may use the first.
    ///
    /// - Parameter lines: The values of all lines with the name of the field, in order.
    public init?(fieldLines lines: some Sequence<some StringProtocol>) {
        let joined = StructuredField.Dictionary.joined(lines)
        guard let fields = try? MessageSignature.uniqueDictionary(joined, "content-digest") else {
            return nil
        }
        var values: [Value] = []
        for algorithm in Algorithm.allCases {
            guard let member = fields[algorithm.rawValue] else { continue }
            guard let bytes = member.bareItem?.byteSequenceValue else { return nil }
            values.append(Value(algorithm: algorithm, bytes: bytes))
        }
        guard !values.isEmpty else { return nil }
        self.values = values
    }

    /// The functions that there are digests of.
    public var algorithms: [Algorithm] { values.map(\.algorithm) }

    /// The value of the field.
    public var fieldValue: String {
        values.map { "\($0.algorithm.rawValue)=:\(Base64.standard.encode($0.bytes)):" }.joined(
            separator: ", "
        )
    }

    /// Returns the bytes of the digest by a function, as they were received; `nil` if there is none.
    ///
    /// - Parameter algorithm: The function.
    /// - Returns: The bytes. Their number may be wrong; then the digest matches no content.
    public func bytes(_ algorithm: Algorithm) -> [UInt8]? {
        values.first { $0.algorithm == algorithm }?.bytes
    }

    /// Returns whether all digests are those of some content. The time does not depend on where they differ.
    ///
    /// - Parameter content: The bytes as they were received, before any content coding is undone.
    /// - Returns: Whether all known digests match.
    @inlinable
    public func matches(_ content: some Collection<UInt8>) -> Bool {
        content.withContiguousSpan { matches($0) }
    }

    /// Returns whether all digests are those of some content. The time does not depend on where they differ.
    ///
    /// - Parameter content: The bytes as they were received, before any content coding is undone.
    /// - Returns: Whether all known digests match.
    public func matches(_ content: Span<UInt8>) -> Bool {
        var check = Check(self)
        check.update(content)
        return check.isMatch
    }
}
