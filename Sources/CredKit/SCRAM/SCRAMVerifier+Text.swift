// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM.Verifier {
    /// A form in which programs store verifiers.
    public enum Form: Sendable, Hashable {
        /// `SCRAM-SHA-256$600000:salt$StoredKey:ServerKey`: PostgreSQL, CockroachDB, pgbouncer
        /// ([RFC 5803](https://www.rfc-editor.org/rfc/rfc5803)).
        case postgreSQL
        /// `{SCRAM-SHA-256}600000,salt,StoredKey,ServerKey`: Dovecot, GNU SASL. It has no colons, so that a line
        /// `user:hash` can contain it.
        case dovecot
    }

    /// Parses the text of a verifier, in either form.
    ///
    /// - Parameter text: The text.
    /// - Throws: ``SCRAM/Error/malformedVerifier``. The error does not contain the text.
    public init(_ text: String) throws(SCRAM.Error) {
        self = try Self.parse(text).verifier
    }

    /// Parses a text, and tells which form it has.
    static func parse(_ text: String) throws(SCRAM.Error) -> (verifier: Self, form: Form) {
        guard let (form, name) = beginning(of: text) else {
            throw .malformedVerifier("it begins neither with SCRAM-…$ nor with {SCRAM-…}")
        }
        guard let hashFunction = SCRAM.HashFunction(rawValue: String(name)) else {
            throw .malformedVerifier("its hash function is not SHA-1, SHA-256 or SHA-512")
        }
        let rest = text.utf8.dropFirst("SCRAM-".utf8.count + name.utf8.count + (form == .dovecot ? 2 : 1))
        let fields = try fields(of: rest, form)
        guard let iterations = SCRAM.positiveNumber(fields[0]), iterations <= Int(Int32.max) else {
            throw .malformedVerifier("the number of iterations is not a decimal from 1 to 2³¹ - 1")
        }
        let values = try fields.dropFirst().map { (field) throws(SCRAM.Error) in try decode(field) }
        let count = hashFunction.digestByteCount
        guard 1...1024 ~= values[0].count else {
            throw .malformedVerifier("the salt must have 1 to 1,024 bytes")
        }
        guard values[1].count == count, values[2].count == count else {
            throw .malformedVerifier("the keys must have \(count) bytes each")
        }
        let verifier = Self(
            hashFunction: hashFunction,
            iterations: iterations,
            salt: values[0],
            storedKey: values[1],
            serverKey: values[2],
            preparation: nil
        )
        return (verifier, form)
    }

    /// Returns the form and the hash function that a text claims to have.
    static func beginning(of text: String) -> (form: Form, hashFunction: Substring)? {
        if text.hasPrefix("SCRAM-"), let end = text.firstIndex(of: "$") {
            return (.postgreSQL, text[..<end].dropFirst(6))
        }
        if text.hasPrefix("{SCRAM-"), let end = text.firstIndex(of: "}") {
            return (.dovecot, text[..<end].dropFirst(7))
        }
        return nil
    }

    private static func fields(
        of rest: Substring.UTF8View,
        _ form: Form
    ) throws(SCRAM.Error) -> [Substring.UTF8View] {
        switch form {
        case .dovecot:
            let fields = rest.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard fields.count == 4 else {
                throw .malformedVerifier("it must have the fields iterations, salt, StoredKey, ServerKey")
            }
            return fields
        case .postgreSQL:
            let halves = rest.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
            let fields = halves.flatMap {
                $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            }
            guard halves.count == 2, fields.count == 4, fields[1].endIndex == halves[0].endIndex else {
                throw .malformedVerifier("it must have the fields iterations:salt$StoredKey:ServerKey")
            }
            return fields
        }
    }

    private static func decode(_ field: Substring.UTF8View) throws(SCRAM.Error) -> [UInt8] {
        do {
            return try Base64.standard.decode(field)
        } catch {
            throw .malformedVerifier("salt or keys are not padded Base64")
        }
    }

    /// The text of the verifier.
    ///
    /// - Parameter form: The form.
    /// - Returns: The text, ASCII.
    public func text(_ form: Form = .postgreSQL) -> String {
        let values = [salt, storedKey, serverKey].map { Base64.standard.encode($0) }
        switch form {
        case .postgreSQL:
            return "SCRAM-\(hashFunction.rawValue)$\(iterations):\(values[0])$\(values[1]):\(values[2])"
        case .dovecot: return "{SCRAM-\(hashFunction.rawValue)}\(iterations),\(values.joined(separator: ","))"
        }
    }
}
