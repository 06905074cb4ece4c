// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The rows of a table in another form: as data of a language, or as a client shows them on a screen.
extension OtherFile {
    /// Recognizes a document.
    ///
    /// - Parameter content: The beginning of the file, in lowercase and without blanks before it.
    /// - Returns: What it is, and how to make a table of it; `nil` if it may be a table.
    static func document(_ content: [UInt8]) -> String? {
        let lines = content.split(
            separator: UInt8(ascii: "\n"),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard let first = lines.first else { return nil }
        if isDrawn(first) || lines.count > 1 && isDrawn(lines[1]) || isRecord(first) {
            return
                "this file is a table as a client shows it, not as it exports it; export the table: \(exports)"
        }
        if ["<?xml", "<!doctype html", "<html", "<table", "<tr>"].contains(where: {
            first.starts(with: $0.utf8)
        }) {
            return "this file is XML or HTML, not a table; export the table: \(exports)"
        }
        return json(content, first) ?? php(first) ?? stanzas(lines)
    }

    private static var exports: String { "\(mariaDBExport), or \(postgreSQLExport), or \(sqliteExport)" }

    // MARK: Screens

    /// Returns whether a line is a rule between the rows that a client draws, which has several columns.
    private static func isDrawn(_ line: ArraySlice<UInt8>) -> Bool {
        // The characters from U+2500 to U+257F.
        if line.starts(with: [0xE2, 0x94]) || line.starts(with: [0xE2, 0x95]) { return true }
        guard line.allSatisfy({ "-+|= \r".utf8.contains($0) }) else { return false }
        return line.split(whereSeparator: { "+| \r".utf8.contains($0) }).count { $0.count > 1 } > 1
    }

    /// Returns whether a line begins a row that a client shows as lines: `\G` of MariaDB, `\x` of psql.
    private static func isRecord(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "-[ record 1 ]".utf8)
            || line.starts(with: "****".utf8) && contains(line, "* 1. row *")
    }

    // MARK: Data

    /// An array of objects, or an object on each line. Keycloak's credentials are objects as well, and hashes.
    private static func json(_ content: [UInt8], _ first: ArraySlice<UInt8>) -> String? {
        let start = content.lazy.filter { !" \t\r\n".utf8.contains($0) }.prefix(3)
        let isArray = start.elementsEqual("[{\"".utf8)
        let isObject = start.starts(with: "{\"".utf8) && !contains(first, "credential")
        guard isArray || isObject else { return nil }
        let rows = isArray ? ".[] | " : ""
        return
            "this file is JSON, not a table; make one of it: jq -r '\(rows)[.id, .password] | @csv' FILE > users.csv"
    }

    /// What `serialize`, `var_export`, `print_r` and `var_dump` write, and a file of PHP.
    private static func php(_ line: ArraySlice<UInt8>) -> String? {
        let isSerialized =
            line.starts(with: "a:".utf8)
            && line.dropFirst(2).drop { 0x30...0x39 ~= $0 }.starts(with: ":{".utf8)
        guard
            isSerialized || ["<?php", "array (", "array("].contains(where: { line.starts(with: $0.utf8) })
                || line.elementsEqual("array".utf8)
        else { return nil }
        return
            "this file is data of PHP, not a table; write its rows with fputcsv: php -r '$file = fopen(\"users.csv\", \"w\"); "
            + "foreach ($users as $user) fputcsv($file, [$user[\"id\"], $user[\"password\"]]);'"
    }

    /// AIX's /etc/security/passwd: the name of a user, a colon, and the attributes on lines that begin with a blank.
    private static func stanzas(_ lines: [ArraySlice<UInt8>]) -> String? {
        guard lines.count > 1, lines[0].last == UInt8(ascii: ":"),
            let blank = lines[1].first, " \t".utf8.contains(blank),
            lines[1].drop(while: { " \t".utf8.contains($0) }).starts(with: "password =".utf8)
        else { return nil }
        return
            "this file is in stanzas, as AIX's /etc/security/passwd, and not a table; make a table of them: "
            + "awk '/^[^ \\t*].*:$/ { user = $0 } $1 == \"password\" { print user $3 }' FILE > users"
    }
}
