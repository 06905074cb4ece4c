// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The preparation of a password before it is hashed, so that a password typed on two systems has the same bytes.
    ///
    /// Printable ASCII stays as it is with each of them. A verifier states which was used: see ``Verifier/preparation``.
    ///
    /// A password with characters beyond ASCII is copied into strings and arrays during its preparation, whose memory is
    /// freed without being wiped.
    public struct Preparation: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case rfc4013, postgreSQL }

        private let kind: Kind

        /// SASLprep ([RFC 4013](https://www.rfc-editor.org/rfc/rfc4013)), as RFC 5802 requires it: characters of Unicode 3.2
        /// only, so that emoji are refused.
        ///
        /// Spaces of all scripts become U+0020, soft hyphens and the like are removed, then normalization form KC is
        /// applied. Passwords are refused if they are not UTF-8, if nothing is left of them, if the result contains
        /// controls, private or unassigned characters, or if it mixes directions of writing.
        public static let rfc4013 = Self(kind: .rfc4013)

        /// What PostgreSQL does: SASLprep where that is possible, and otherwise the bytes as they are. It checks its input
        /// for prohibited characters, and not the result. Seen with PostgreSQL 15.
        ///
        /// - If SASLprep allows both the password and the result, the result is that of ``rfc4013``. Five rare Han characters
        ///   are the exception (U+2F868, U+2F874, U+2F91F, U+2F95F, U+2F9BF): they are decomposed as in Unicode 4.0 and later.
        /// - If SASLprep allows the password alone, such as one that ends in U+FB2A, the result is used nevertheless.
        /// - If SASLprep does not allow the password, such as one with an emoji or U+0340, its bytes stay as they are. So do
        ///   bytes that are not UTF-8.
        ///
        /// An empty password and one with U+0000 are refused: PostgreSQL cannot store them.
        public static let postgreSQL = Self(kind: .postgreSQL)

        /// The name.
        public var description: String { kind.rawValue }

        /// Returns the prepared text; `nil` if the preparation does not change it.
        ///
        /// - Throws: ``SCRAM/Error/textNotAllowed``, ``SCRAM/Error/outOfMemory``.
        package func apply(to text: Span<UInt8>) throws(SCRAM.Error) -> SecretBytes? {
            // Printable ASCII is its own result, so no copy is made.
            var isPlain = text.count > 0
            for index in text.indices { isPlain = isPlain && 0x20...0x7E ~= text[index] }
            if isPlain { return nil }
            let bytes = text.indices.map { text[$0] }
            let prepared =
                switch kind {
                case .rfc4013: try Self.preparedByRFC4013(bytes)
                case .postgreSQL: try Self.preparedByPostgreSQL(bytes)
                }
            guard let prepared, prepared != bytes else { return nil }
            do throws(SecretMemoryError) {
                return try SecretBytes(prepared)
            } catch {
                throw .outOfMemory
            }
        }

        private static func preparedByRFC4013(_ bytes: [UInt8]) throws(SCRAM.Error) -> [UInt8] {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .notAllowedBySASLprep("it is not UTF-8")
            }
            let mapped = SASLprep.mapped(text)
            // Before normalization too, which may change characters that Unicode 3.2 does not have.
            if SASLprep.violation(in: mapped) == .unassigned {
                throw .notAllowedBySASLprep(SASLprep.Violation.unassigned.reason)
            }
            let result = SASLprep.normalized(mapped, corrected: false)
            if let violation = SASLprep.violation(in: result) {
                throw .notAllowedBySASLprep(violation.reason)
            }
            return utf8(result)
        }

        /// Returns `nil` for a text that stays as it is.
        private static func preparedByPostgreSQL(_ bytes: [UInt8]) throws(SCRAM.Error) -> [UInt8]? {
            guard !bytes.isEmpty, !bytes.contains(0) else {
                throw .textNotAllowed("PostgreSQL has no password that is empty or contains U+0000")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            let mapped = SASLprep.mapped(text)
            guard SASLprep.violation(in: mapped) == nil else { return nil }
            return utf8(SASLprep.normalized(mapped, corrected: true))
        }

        private static func utf8(_ scalars: [Unicode.Scalar]) -> [UInt8] {
            Array(String(String.UnicodeScalarView(scalars)).utf8)
        }
    }
}

extension SCRAM.Error {
    fileprivate static func notAllowedBySASLprep(_ reason: String) -> Self {
        .textNotAllowed("SASLprep (RFC 4013) does not allow this text: \(reason)")
    }
}
