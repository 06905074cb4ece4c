// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitPostgreSQL
import CredKitServer
import CredKitTerminal

/// The options of an upgrade of a table in PostgreSQL.
struct DatabaseUpgradeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database to upgrade, as psql takes it; the password is not part of it (use PGPASSFILE).",
            valueName: "conninfo"
        )
    )
    var database: TextArgument?

    @Option(
        help: ArgumentHelp("The table: table, schema.table or \"schema\".\"table\".", valueName: "name")
    )
    var table: TextArgument?

    @Option(
        help: ArgumentHelp(
            "The column that identifies a row: a primary key or another column with a unique index of its own.",
            valueName: "column"
        )
    )
    var idColumn: TextArgument?

    @Option(
        help: ArgumentHelp("The number of rows that are claimed at once (default: 500).", valueName: "n")
    )
    var batch: Int?

    @Option(
        help: ArgumentHelp(
            "The number of threads that compute hashes (default: one for each processor).",
            valueName: "n"
        )
    )
    var workers: Int?

    @Option(
        help: ArgumentHelp(
            "The time after which the rows of a command that was killed are taken over (default: 30).",
            valueName: "seconds"
        )
    )
    var lease: Int?

    /// Whether an option was given that files have no use for.
    private var isPartial: Bool {
        table != nil || idColumn != nil || batch != nil || workers != nil || lease != nil
    }

    /// Rejects options that do not fit together.
    func check(
        _ columns: TableColumnOptions,
        input: FileArgument?,
        output: FileArgument?,
        resume: Bool
    ) throws {
        guard let database else {
            guard !isPartial else {
                throw ValidationError(
                    "--table, --id-column, --batch, --workers and --lease require --database."
                )
            }
            return
        }
        guard input == nil, output == nil, !resume else {
            throw ValidationError(
                "--database takes no --input, --output or --resume: the rows change in place, and a second run continues."
            )
        }
        guard !PostgreSQLSettings.containsPassword(database.text) else {
            throw ValidationError(
                "--database must not contain a password, because other users see the command line; put it into the file that "
                    + "PGPASSFILE names."
            )
        }
        guard columns.format == nil else {
            throw ValidationError("--format is for files, and --database has no use for it.")
        }
        guard let table, idColumn != nil, columns.hashColumn != nil else {
            throw ValidationError("--database requires --table, --id-column and --hash-column.")
        }
        guard SQLName(table.text) != nil else {
            throw ValidationError("--table must be a name: table, schema.table or \"schema\".\"table\".")
        }
        guard batch.map({ (1...10_000).contains($0) }) ?? true else {
            throw ValidationError("--batch must be from 1 to 10000.")
        }
        guard workers.map({ (1...1024).contains($0) }) ?? true else {
            throw ValidationError("--workers must be from 1 to 1024.")
        }
        guard lease.map({ (1...3600).contains($0) }) ?? true else {
            throw ValidationError("--lease must be from 1 to 3600 seconds.")
        }
    }
}
