// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A file that is no table, recognized by its beginning.
struct OtherFile {
    /// What it is, and how to make a table of it.
    let description: String

    /// Recognizes a file; `nil` if it may be a table.
    ///
    /// - Parameter bytes: Its beginning: a line at least, or all of it.
    init?(beginning bytes: [UInt8]) {
        let start = bytes.prefix(4096)
        let found =
            Self.signatures.first { Self.matches(start, $0.bytes) }?.advice ?? Self.wideText(start)
            ?? Self.text(start)
        guard let found else { return nil }
        description = found
    }

    /// The first bytes of formats, one for each character. A question mark stands for any byte.
    private static let signatures: [(bytes: String, advice: String)] = [
        ("\u{1F}\u{8B}", "this file is compressed; decompress it with gunzip"),
        ("BZh?1AY&SY", "this file is compressed; decompress it with bunzip2"),
        ("\u{FD}7zXZ\0", "this file is compressed; decompress it with unxz"),
        ("\u{28}\u{B5}\u{2F}\u{FD}", "this file is compressed; decompress it with unzstd"),
        (
            "PK\u{3}\u{4}",
            "this file is a ZIP archive or a spreadsheet, not a table of text; extract it, or save the sheet as CSV"
        ),
        (
            "\u{D0}\u{CF}\u{11}\u{E0}",
            "this file is a spreadsheet, not a table of text; save the sheet as CSV"
        ),
        (
            "SQLite format 3\0",
            "this file is a database of SQLite, not a table of text; export the table: \(sqliteExport)"
        ),
        (
            "# credkit-shard 1 ",
            "this file is a part of a table that was upgraded with --shard; join all parts with 'credkit upgrade --join'"
        ),
        (
            "PGDMP\u{1}",
            "this file is a dump of PostgreSQL in pg_dump's own format, not a table; export the table: "
                + postgreSQLExport
        ),
        (
            "toc.dat\0",
            "this file is a dump of pg_dump in a tar archive, not a table; export the table: \(postgreSQLExport)"
        ),
        (
            "PGCOPY\n\u{FF}\r\n\0",
            "this file is the table in the binary format of COPY; export the table as text: \(postgreSQLExport)"
        ),
        ("REDIS00??\u{FA}", "this file is a dump of Redis, not a table; export the accounts: \(redisExport)"),
        ("*?\r\n$", "this file is the log of Redis, not a table; export the accounts: \(redisExport)"),
    ]

    static let mariaDBExport =
        "mariadb -B -e 'SELECT id, password FROM users' DATABASE > users.tsv"
    static let postgreSQLExport =
        #"psql -d DATABASE -c '\copy (SELECT id, password FROM users) TO users.csv CSV HEADER'"#
    static let sqliteExport =
        "sqlite3 -csv -header DATABASE 'SELECT id, password FROM users' > users.csv"
    private static let redisExport =
        #"redis-cli --scan --pattern 'user:*' | while read -r key; do printf '%s\t%s\n' "$key" "$(redis-cli HGET "$key" "#
        + #"password)"; done > users.tsv"#

    private static func matches(_ start: ArraySlice<UInt8>, _ signature: String) -> Bool {
        let signature = signature.unicodeScalars
        return start.count >= signature.count
            && zip(start, signature).allSatisfy { $1 == "?" || UInt32($0) == $1.value }
    }

    /// UTF-16, with its byte order mark or without, for ASCII characters at the beginning.
    private static func wideText(_ start: ArraySlice<UInt8>) -> String? {
        let isLittleEndian = matches(start, "\u{FF}\u{FE}") || areZero(start, [false, true, false, true])
        let isBigEndian = matches(start, "\u{FE}\u{FF}") || areZero(start, [true, false, true, false])
        guard isLittleEndian || isBigEndian else { return nil }
        let name = isLittleEndian ? "UTF-16LE" : "UTF-16BE"
        return "this file is text in UTF-16; convert it: iconv -f \(name) -t UTF-8 users.csv > users-utf8.csv"
    }

    /// Returns whether of the first bytes exactly those are zero.
    private static func areZero(_ start: ArraySlice<UInt8>, _ zeros: [Bool]) -> Bool {
        start.prefix(zeros.count).map { $0 == 0 } == zeros
    }

    private static func text(_ start: ArraySlice<UInt8>) -> String? {
        guard !beginsWithAccount(start) else { return nil }
        let blanks = Array(" \t\r\n".utf8)
        let content = (matches(start, "\u{EF}\u{BB}\u{BF}") ? start.dropFirst(3) : start)
            .drop { blanks.contains($0) }
            .map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        return sql(content) ?? ldif(content) ?? document(content)
    }

    /// Returns whether the first line has a hash between colons: a user can have any name.
    private static func beginsWithAccount(_ start: ArraySlice<UInt8>) -> Bool {
        let line = start.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).dropFirst()
            .contains { ColumnName.isHash(Array($0)) }
    }

    // MARK: SQL

    /// How SQL begins, in lowercase: with the comments and settings of dumps, or with a statement.
    private static let statements = [
        "-- ", "--\n", "--\r\n", "/*!", "/*m!", "insert into ", "insert ignore into ", "replace into ",
        "create table ", "create database ", "drop table ", "drop database ", "lock tables ", "set names ",
        "set sql_mode", "set statement_timeout", "start transaction;", "begin transaction;",
        "pragma foreign_keys", #"\restrict "#,
    ]

    private static func sql(_ content: [UInt8]) -> String? {
        let line = content.prefix { $0 != UInt8(ascii: "\n") }
        let isCopy = line.starts(with: "copy ".utf8) && contains(line, " from stdin")
        guard isCopy || statements.contains(where: { content.starts(with: $0.utf8) }) else { return nil }
        let what = "this file is a dump in SQL, not a table; export the table"
        func has(_ words: [String]) -> Bool { words.contains { contains(content[...], $0) } }
        if has(["postgresql", "\nset statement_timeout", #"\restrict "#, " from stdin"]) {
            return "\(what): \(postgreSQLExport)"
        }
        if ["pragma ", "begin transaction;"].contains(where: { content.starts(with: $0.utf8) }) {
            return "\(what): \(sqliteExport)"
        }
        if has(["mysql", "mariadb", "phpmyadmin", "`", "/*!", "/*m!"]) { return "\(what): \(mariaDBExport)" }
        // pg_dump's first line is a comment without a word.
        if content.starts(with: "--\n".utf8) { return "\(what): \(postgreSQLExport)" }
        return "\(what): \(mariaDBExport), or \(postgreSQLExport)"
    }

    static func contains(_ content: ArraySlice<UInt8>, _ word: String) -> Bool {
        let word = Array(word.utf8)
        return content.indices.contains { content[$0...].starts(with: word) }
    }

    // MARK: LDIF

    /// LDIF (RFC 2849) as slapcat and ldapsearch write it, perhaps behind comments.
    private static func ldif(_ content: [UInt8]) -> String? {
        let lines = content.split(separator: UInt8(ascii: "\n"))
        let skipped: [UInt8?] = [UInt8(ascii: "#"), UInt8(ascii: "\r")]
        guard let line = lines.first(where: { !skipped.contains($0.first) }),
            line.starts(with: "version: 1".utf8) && line.count <= "version: 1\r".utf8.count
                || line.starts(with: "dn:: ".utf8)
                || line.starts(with: "dn: ".utf8) && line.contains(UInt8(ascii: "="))
        else { return nil }
        return
            "this file is LDIF, not a table; write a line uid:userPassword for each entry, with the password decoded from "
            + "Base64 if it stands behind two colons"
    }
}
