// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// Which of a table's fields is what.
struct TableColumnOptions: ParsableArguments {
    enum FormatName: String, ExpressibleByArgument, CaseIterable {
        case colons, csv
    }

    /// Where things are in the records of one table.
    struct Layout {
        let hashField: Int
        let saltField: Int?
        /// Whether the first record has the names of the columns.
        let hasHeader: Bool
    }

    @Option(help: "Fields between colons, or CSV (default: csv if the name of the input ends in .csv).")
    var format: FormatName?

    @Option(
        help: ArgumentHelp(
            "The column of the hashes: its number from 1 on, or in CSV its name in the first record (default: 2 "
                + "between colons).",
            valueName: "column"
        )
    )
    var hashColumn: String?

    @Option(
        help: ArgumentHelp("For hex-md5, the column of each hash's own salt.", valueName: "column")
    )
    var saltColumn: String?

    func format(of input: FileArgument) -> TableRecord.Format {
        switch format {
        case .colons: .colons
        case .csv: .csv
        case nil: input.display.hasSuffix(".csv") ? .csv : .colons
        }
    }

    func check(input: FileArgument, hasHexDigests: Bool) throws {
        guard saltColumn == nil || hasHexDigests else {
            throw ValidationError("--salt-column goes with --from hex-md5 only.")
        }
        let columns = [hashColumn, saltColumn].compactMap { $0 }
        guard columns.allSatisfy({ Int($0).map { (1...10_000).contains($0) } ?? true }) else {
            throw ValidationError("Columns are counted from 1 on.")
        }
        switch format(of: input) {
        case .colons:
            guard columns.allSatisfy({ Int($0) != nil }) else {
                throw ValidationError("Between colons, columns have numbers and no names.")
            }
        case .csv:
            guard hashColumn != nil else {
                throw ValidationError("For CSV, say with --hash-column where the hashes are.")
            }
        }
    }

    /// Where things are in a table; its first record is read where columns are named.
    func layout(_ table: OpenTable, _ input: FileArgument) throws -> Layout {
        let hashColumn = hashColumn ?? "2"
        let columns = [hashColumn, saltColumn].compactMap { $0 }
        guard columns.contains(where: { Int($0) == nil }) else {
            return Layout(
                hashField: (Int(hashColumn) ?? 1) - 1,
                saltField: saltColumn.flatMap { Int($0) }.map { $0 - 1 },
                hasHeader: false
            )
        }
        var reader = TableReader(descriptor: table.descriptor, format: .csv, name: input.quoted)
        let header = try reader.next()
        try table.rewind()
        func index(_ name: String) throws -> Int {
            if let number = Int(name) { return number - 1 }
            let names = (0..<(header?.fieldCount ?? 0)).compactMap { header?.field($0) }
            let matching = names.indices.filter { names[$0] == RawArguments.encode(name) }
            guard let index = matching.first, matching.count == 1 else {
                throw CommandFailure(
                    .malformed,
                    "\(input.quoted): its first record has \(matching.isEmpty ? "no column" : "several columns") "
                        + "of the name \(ShellQuoting.quote(RawArguments.encode(name)))"
                )
            }
            return index
        }
        return Layout(hashField: try index(hashColumn), saltField: try saltColumn.map(index), hasHeader: true)
    }
}
