// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// The options that describe the format and the columns of a table.
struct TableColumnOptions: ParsableArguments {
    enum FormatName: String, ExpressibleByArgument, CaseIterable {
        case colons, csv, tsv
    }

    /// Whether the first record has the names of the columns.
    enum HeaderChoice: String, ExpressibleByArgument, CaseIterable {
        case auto, yes, no
    }

    @Option(
        help:
            "The format: fields between colons, CSV, or TSV as mysql -B and COPY write it (default: by the ending of the name, .csv or .tsv)."
    )
    var format: FormatName?

    @Option(
        help: ArgumentHelp(
            "For CSV, the character between fields in place of a comma: \";\", \"|\" … or tab.",
            valueName: "character"
        )
    )
    var delimiter: SeparatorArgument?

    @Option(
        help: ArgumentHelp(
            "The column of the hashes: its number, counted from 1, or in CSV and TSV its name in the first record "
                + "(default: 2 between colons).",
            valueName: "column"
        )
    )
    var hashColumn: String?

    @Option(
        help: ArgumentHelp(
            "For salted-md5 …, vbulletin …, the column with the salt of each hash; for smf that of the users' names.",
            valueName: "column"
        )
    )
    var saltColumn: String?

    @Option(
        help: ArgumentHelp(
            "Whether the first record is a header, which is copied (default: auto, if a column is given by its name, or the "
                + "fields of the first record of CSV or TSV are names).",
            valueName: "choice"
        )
    )
    var header: HeaderChoice?

    @Option(
        help: ArgumentHelp(
            "A further text that stands for no hash, besides an empty field, NULL, and a backslash with N.",
            valueName: "text"
        )
    )
    var null: String?

    /// The text that stands for no hash, as the table has it.
    var nullText: [UInt8]? { null.map(RawArguments.encode) }

    func format(of input: FileArgument) -> TableRecord.Format {
        if let delimiter { return .separated(by: delimiter.byte) }
        switch format {
        case .colons: return .colons
        case .csv: return .csv
        case .tsv: return .tsv
        case nil where input.display.hasSuffix(".csv"): return .csv
        case nil: return input.display.hasSuffix(".tsv") ? .tsv : .colons
        }
    }

    func check(input: FileArgument) throws {
        let columns = [hashColumn, saltColumn].compactMap { $0 }
        guard columns.allSatisfy({ Int($0).map { (1...10_000).contains($0) } ?? true }) else {
            throw ValidationError("A column number must be from 1 to 10000.")
        }
        guard delimiter == nil || format == nil || format == .csv else {
            throw ValidationError("--delimiter is for CSV; leave --format out, or give --format csv.")
        }
        guard nullText.map({ $0.isEmpty || !ColumnName.canBeginHash($0) }) ?? true else {
            throw ValidationError("--null takes a text that stands for no hash, but this one can be a hash.")
        }
        guard header != .no || !usesNames else {
            throw ValidationError("Without a header, columns have no names; give their numbers.")
        }
        guard format(of: input).hasNames else {
            guard !usesNames else {
                throw ValidationError("Columns between colons have no names; give their numbers.")
            }
            return
        }
        guard hashColumn != nil else {
            throw ValidationError("For CSV and TSV, give the column of the hashes with --hash-column.")
        }
    }

    /// Whether a column is given by name.
    var usesNames: Bool {
        [hashColumn, saltColumn].contains { $0.map { Int($0) == nil } ?? false }
    }
}
