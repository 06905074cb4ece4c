// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import CredKitSystem
import Glibc

/// The options that describe the format and the columns of a table.
struct TableColumnOptions: ParsableArguments {
    enum FormatName: String, ExpressibleByArgument, CaseIterable {
        case colons, csv, tsv
    }

    /// The positions of fields in the records of one table.
    struct Layout {
        let hashField: Int
        let saltField: Int?
        /// Whether the first record has the names of the columns.
        let hasHeader: Bool
    }

    @Option(
        help:
            "The format: fields between colons, CSV, or TSV as mysql -B and COPY write it (default: by the ending of the name, .csv or .tsv)."
    )
    var format: FormatName?

    @Option(
        help: ArgumentHelp(
            "The column of the hashes: its number, counted from 1, or in CSV and TSV its name in the first record "
                + "(default: 2 between colons).",
            valueName: "column"
        )
    )
    var hashColumn: String?

    @Option(
        help: ArgumentHelp("For salted-md5, the column with the salt of each hash.", valueName: "column")
    )
    var saltColumn: String?

    func format(of input: FileArgument) -> TableRecord.Format {
        switch format {
        case .colons: .colons
        case .csv: .csv
        case .tsv: .tsv
        case nil where input.display.hasSuffix(".csv"): .csv
        case nil: input.display.hasSuffix(".tsv") ? .tsv : .colons
        }
    }

    func check(input: FileArgument) throws {
        let columns = [hashColumn, saltColumn].compactMap { $0 }
        guard columns.allSatisfy({ Int($0).map { (1...10_000).contains($0) } ?? true }) else {
            throw ValidationError("A column number must be from 1 to 10000.")
        }
        switch format(of: input) {
        case .colons:
            guard columns.allSatisfy({ Int($0) != nil }) else {
                throw ValidationError("Columns between colons have no names; give their numbers.")
            }
        case .csv, .tsv:
            guard hashColumn != nil else {
                throw ValidationError("For CSV and TSV, give the column of the hashes with --hash-column.")
            }
        }
    }

    /// Returns the layout of a table. Reads its first record if columns are given by name.
    func layout(_ table: OpenTable, _ input: FileArgument) throws -> Layout {
        var reader = TableReader(
            descriptor: table.descriptor,
            format: format(of: input),
            name: input.quoted
        )
        let header = usesNames ? try reader.next() : nil
        try table.rewind()
        return try layout(header: header, name: input.quoted)
    }

    /// Whether a column is given by name.
    private var usesNames: Bool {
        [hashColumn, saltColumn].contains { $0.map { Int($0) == nil } ?? false }
    }

    /// Returns the layout of a table with this first record.
    func layout(header: TableRecord?, name table: String) throws -> Layout {
        func index(_ name: String) throws -> Int {
            if let number = Int(name) { return number - 1 }
            let names = (0..<(header?.fieldCount ?? 0)).compactMap { header?.field($0) }
            let matching = names.indices.filter { names[$0] == RawArguments.encode(name) }
            guard let index = matching.first, matching.count == 1 else {
                throw CommandFailure(
                    .malformed,
                    "\(table): its first record has \(matching.isEmpty ? "no column" : "several columns") "
                        + "named \(ShellQuoting.quote(RawArguments.encode(name)))"
                )
            }
            return index
        }
        return Layout(
            hashField: try index(hashColumn ?? "2"),
            saltField: try saltColumn.map(index),
            hasHeader: usesNames
        )
    }
}

/// A table that is open only for reading.
final class OpenTable {
    let descriptor: Int32

    /// Opens a table. One that is only read once can also be a pipe.
    init(_ file: FileArgument, isReadOnce: Bool = false) throws {
        descriptor = open(file.bytes.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw CommandFailure(.inputOutput, "\(file.quoted): \(SystemError.message(of: errno))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, isReadOnce || status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CommandFailure(.inputOutput, "\(file.quoted): not a regular file, which can be read twice")
        }
    }

    deinit { close(descriptor) }

    /// Seeks to the start.
    func rewind() throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw CommandFailure(.inputOutput, SystemError.message(of: errno))
        }
    }
}
