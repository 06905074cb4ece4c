// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Finds the hash, and its salt if there is a column for it, in the records of a table.
struct HashColumn: Sendable {
    /// A problem of a record that its hash is not to blame for.
    enum Problem: Error {
        case noHashField, noSaltField, emptySalt, openQuote

        var message: String {
            switch self {
            case .noHashField: "the record has no hash field"
            case .noSaltField: "the record has no salt field"
            case .emptySalt: "the salt is empty"
            case .openQuote: "a quote is not closed up to the end of the table"
            }
        }
    }

    let hashField: Int
    let saltField: Int?
    /// The declared type of bare hexadecimal hashes.
    let bareHashes: BareHashOptions

    /// Returns the salt of a record; `nil` if there is no column of salts.
    func salt(of record: TableRecord) throws -> [UInt8]? {
        try saltField.map { index in
            guard let salt = record.field(index) else { throw Problem.noSaltField }
            guard !salt.isEmpty else { throw Problem.emptySalt }
            return salt
        }
    }

    /// Returns the declared algorithm of a record's hash if it is bare; `nil` if none is declared.
    func bareHexAlgorithm(of record: TableRecord) throws -> PasswordHash.LegacyHexAlgorithm? {
        try bareHashes.algorithm(salt: salt(of: record))
    }

    /// Returns whether a field can be a hash of MySQL as well as a locked account's hash of the declared type.
    func isAmbiguous(_ stored: StoredPasswordField) -> Bool { bareHashes.isAmbiguous(stored) }

    /// Returns the message for a field between colons that is the beginning of a hash with colons: Werkzeug's, such as
    /// `scrypt:32768:8:1$…`, or a SCRAM verifier in PostgreSQL's form. Returns `nil` for any other field.
    static func cutOff(_ field: Span<UInt8>, _ format: TableRecord.Format) -> String? {
        guard format == .colons else { return nil }
        let convert =
            "which separate the fields here; convert the table to CSV or TSV, and name the column with --hash-column"
        if field.count == 6, begins(field, "scrypt") || begins(field, "pbkdf2") {
            return "the hash is cut off: hashes of Werkzeug contain colons, \(convert)"
        }
        guard begins(field, "SCRAM-SHA-") || begins(field, "$layered-scram$"),
            let dollar = field.indices.last(where: { field[$0] == UInt8(ascii: "$") }),
            (dollar + 1..<field.count).allSatisfy({ 0x30...0x39 ~= field[$0] })
        else { return nil }
        return "the verifier is cut off: PostgreSQL's form of SCRAM verifiers contains colons, \(convert)"
    }

    private static func begins(_ field: Span<UInt8>, _ name: String) -> Bool {
        field.count >= name.utf8.count && zip(field.indices, name.utf8).allSatisfy { field[$0] == $1 }
    }

    /// Returns whether a record is a comment or empty.
    static func isBlankOrComment(_ record: TableRecord) -> Bool {
        guard let field = record.field(0) else { return false }
        return record.format.hasComments && field.first == UInt8(ascii: "#")
            || record.fieldCount == 1
                && field.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}

extension HashColumn {
    init(_ layout: TableColumnOptions.Layout, _ bareHashes: BareHashOptions) {
        self.init(hashField: layout.hashField, saltField: layout.saltField, bareHashes: bareHashes)
    }
}
