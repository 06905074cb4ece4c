// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// A verifier as a table stores it: with its form, and with what it was made of.
    ///
    /// | text | of |
    /// |---|---|
    /// | `SCRAM-SHA-256$600000:salt$StoredKey:ServerKey` | the password |
    /// | `{SCRAM-SHA-256}600000,salt,StoredKey,ServerKey` | the password |
    /// | `$layered-scram$keyid=timestamped-login$` and one of them | the password-equivalent of a timestamped login |
    public struct Record: Sendable, Hashable {
        /// The verifier.
        public let verifier: Verifier

        /// The form of the verifier's text.
        public let form: Verifier.Form

        /// The identifier of the key that leads from the password to the password-equivalent, for layered verifiers; `nil` for
        /// verifiers of the password itself.
        public let keyID: String?

        /// The key identifier of timestamped logins.
        public static let timestampedKeyID = "timestamped-login"

        static let layeredPrefix = "$layered-scram$"

        /// Creates a record.
        ///
        /// - Parameters:
        ///   - verifier: The verifier.
        ///   - subject: What the verifier was made of.
        ///   - form: The form of its text.
        public init(_ verifier: Verifier, of subject: VerifierSubject, form: Verifier.Form = .postgreSQL) {
            self.verifier = verifier
            self.form = form
            keyID = subject == .passwordEquivalent ? Self.timestampedKeyID : nil
        }

        /// Parses a record.
        ///
        /// - Parameter text: The text.
        /// - Throws: ``SCRAM/Error/malformedVerifier``. The error does not contain the text.
        public init(_ text: String) throws(SCRAM.Error) {
            guard text.utf8.starts(with: Self.layeredPrefix.utf8) else {
                (verifier, form) = try Verifier.parse(text)
                keyID = nil
                return
            }
            let rest = text.utf8.dropFirst(Self.layeredPrefix.utf8.count)
            guard rest.starts(with: "keyid=".utf8), let end = rest.firstIndex(of: UInt8(ascii: "$")) else {
                throw .malformedVerifier("a layered verifier must name its key (keyid=)")
            }
            let keyID = String(Substring(rest[..<end].dropFirst(6)))
            guard 1...32 ~= keyID.utf8.count, keyID.utf8.allSatisfy(Self.isNameByte) else {
                throw .malformedVerifier("the name of its key is not valid")
            }
            self.keyID = keyID
            (verifier, form) = try Verifier.parse(String(Substring(rest[rest.index(after: end)...])))
        }

        private static func isNameByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"),
                UInt8(ascii: "-")...UInt8(ascii: "/"):
                true
            default: false
            }
        }

        /// What the verifier was made of.
        public var subject: VerifierSubject { keyID == nil ? .password : .passwordEquivalent }

        /// The text.
        public var text: String {
            keyID.map { "\(Self.layeredPrefix)keyid=\($0)$\(verifier.text(form))" } ?? verifier.text(form)
        }
    }
}

extension SCRAM.Record: CustomStringConvertible, CustomReflectable {
    /// `‹SCRAM-SHA-256 verifier›`, without its content.
    public var description: String { verifier.description }

    /// A mirror without children: dumping a record reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
