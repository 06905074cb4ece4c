// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Finds the hash, and its salt if there is a column for it, in the records of a table.
struct HashColumn: Sendable {
    /// A problem of a record that its hash is not to blame for.
    enum Problem: Error {
        case noHashField, noSaltField, nullSalt, emptySalt, openQuote

        var message: String {
            switch self {
            case .noHashField: "the record has no hash field"
            case .noSaltField: "the record has no salt field"
            case .nullSalt:
                "the salt is NULL, or a text that reads like it; if the hash has no salt, export an empty text"
            case .emptySalt:
                "the salt is empty, and applications differ in what they hash then; declare digests without a salt with "
                    + "--as md5 or --as sha1"
            case .openQuote: "a quote is not closed up to the end of the table"
            }
        }
    }

    let hashField: Int
    let saltField: Int?
    /// The declared type of bare hexadecimal hashes.
    let bareHashes: BareHashOptions
    /// The text that stands for NULL, besides those that all tables can have.
    var nullText: [UInt8]?

    /// Whether a field is NULL as databases export it: `\N` (`SELECT … INTO OUTFILE`, PostgreSQL's `COPY`), `NULL`
    /// (`mysql -B`, phpMyAdmin), or the declared text. None of them can be a hash.
    func isNull(_ field: Span<UInt8>) -> Bool {
        switch field.count {
        case 2 where Self.begins(field, #"\N"#): return true
        case 4 where Self.begins(field, "NULL"): return true
        default: break
        }
        guard let nullText, nullText.count == field.count else { return false }
        return field.indices.allSatisfy { field[$0] == nullText[$0] }
    }

    /// Returns the salt of a record; `nil` if there is no column of salts. An empty salt is a salt without bytes: Joomla 1.0
    /// and others hashed the password alone before they had salts. A text that reads as NULL is not guessed: with a wrong
    /// salt, the layered hash would be lost. Where the salt is the user's name, it is the name.
    func salt(of record: TableRecord) throws -> [UInt8]? {
        try saltField.map { index in
            guard let salt = record.field(index) else { throw Problem.noSaltField }
            // In TSV, only NULL has these bytes: the same text has another backslash.
            let isNullInTSV =
                record.format.hasEscapes && record.rawField(index)?.elementsEqual(#"\N"#.utf8) == true
            guard !isNullInTSV, bareHashes.hasNameAsSalt || !isNull(salt.span) else { throw Problem.nullSalt }
            return salt
        }
    }

    /// Returns the message for a field that shows that the table is not what it is read as: one with a NUL byte; or
    /// between colons the beginning of a hash with colons: Werkzeug's, such as `scrypt:32768:8:1$…`, or a SCRAM
    /// verifier in PostgreSQL's form. Returns `nil` for any other field.
    static func cutOff(_ field: Span<UInt8>, _ format: TableRecord.Format) -> String? {
        let hasNUL = field.withUnsafeBufferPointer { $0.firstIndex(of: 0, from: 0) != nil }
        guard !hasNUL else {
            return "the hash field has a NUL byte; is the table text in UTF-8? (iconv converts UTF-16)"
        }
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

    /// Returns the message for a record between colons whose hash is cut off, which its field alone does not show: Joomla's
    /// `{SHA256}digits:salt`, and MediaWiki's, which begins with a colon. Returns `nil` for any other record.
    func cutOff(in record: TableRecord) -> String? {
        guard record.format == .colons, let field = record.field(hashField) else { return nil }
        let name =
            field.isEmpty
            ? isOfMediaWiki(record) ? "MediaWiki" : nil
            : isOfJoomla(field, record) ? "Joomla" : nil
        return name.map {
            "the hash is cut off: hashes of \($0) contain colons, which separate the fields here; convert the table "
                + "to CSV or TSV, and name the column with --hash-column"
        }
    }

    /// Whether a field can be Joomla's `{SHA256}` and digits, perhaps behind a mark; any other is not.
    static func canBeOfJoomla(_ field: Span<UInt8>) -> Bool {
        field.count >= 72 && field[field.count - 72] == UInt8(ascii: "{")
    }

    /// Dovecot has the same text without a salt; its passwd-file has numbers of user and group behind it.
    private func isOfJoomla(_ field: [UInt8], _ record: TableRecord) -> Bool {
        guard Self.canBeOfJoomla(field.span), let salt = record.field(hashField + 1), !salt.isEmpty,
            String(decoding: field.suffix(72).prefix(8), as: UTF8.self).uppercased() == "{SHA256}",
            BareHashOptions.isBare(Array(field.suffix(64)))
        else { return false }
        let isNumber = salt.allSatisfy { 0x30...0x39 ~= $0 }
        return !isNumber || record.field(hashField + 2) == nil
    }

    private func isOfMediaWiki(_ record: TableRecord) -> Bool {
        guard let type = record.field(hashField + 1).map({ String(decoding: $0, as: UTF8.self) })
        else { return false }
        return switch type {
        case "pbkdf2", "pbkdf2-legacyA", "pbkdf2-legacyB", "bcrypt", "argon2": true
        case "A", "B":
            // Other tables may have such a letter behind an empty field.
            [2, 3].contains { record.field(hashField + $0).map(BareHashOptions.isBare) == true }
        default: false
        }
    }

    private static func begins(_ field: Span<UInt8>, _ name: String) -> Bool {
        field.count >= name.utf8.count && zip(field.indices, name.utf8).allSatisfy { field[$0] == $1 }
    }

    /// Returns whether a record is a comment or empty.
    static func isBlankOrComment(_ record: TableRecord) -> Bool {
        let field = Array(record.rawField(0) ?? [])
        return isBlankOrComment(field.span, isOnlyField: record.fieldCount == 1, record.format)
    }

    /// Returns whether a record is a comment or empty.
    ///
    /// - Parameters:
    ///   - field: The bytes of its first field, or of more.
    ///   - isOnlyField: Whether the record has no other field.
    ///   - format: The format.
    /// - Returns: Whether it is a comment, or consists of blanks.
    static func isBlankOrComment(
        _ field: Span<UInt8>,
        isOnlyField: Bool,
        _ format: TableRecord.Format
    ) -> Bool {
        var start = 0
        while start < field.count, field[start] == UInt8(ascii: " ") || field[start] == UInt8(ascii: "\t") {
            start += 1
        }
        guard start < field.count else { return isOnlyField }
        return format.hasComments && field[start] == UInt8(ascii: "#")
    }
}

extension HashColumn {
    init(_ layout: TableColumnOptions.Layout, _ bareHashes: BareHashOptions) {
        self.init(
            hashField: layout.hashField,
            saltField: layout.saltField,
            bareHashes: bareHashes,
            nullText: layout.nullText
        )
    }
}
