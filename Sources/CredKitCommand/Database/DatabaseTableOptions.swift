// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitPostgreSQL
import CredKitServer
import CredKitTerminal

/// The options that name a table in PostgreSQL.
struct DatabaseTableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database, as psql takes it; the password is not part of it (use PGPASSFILE).",
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

    /// Rejects options that do not fit together.
    func check(_ columns: TableColumnOptions) throws {
        guard let database else {
            guard table == nil, idColumn == nil else {
                throw ValidationError("--table and --id-column require --database.")
            }
            return
        }
        guard !PostgreSQLSettings.containsPassword(database.text) else {
            throw ValidationError(
                "--database must not contain a password, because other users see the command line; put it into the file that "
                    + "PGPASSFILE names."
            )
        }
        guard columns.format == nil, columns.delimiter == nil, columns.header == nil, columns.null == nil
        else {
            throw ValidationError(
                "--format, --delimiter, --header and --null are for files, and --database has no use for them."
            )
        }
        guard let table, idColumn != nil, columns.hashColumn != nil else { throw Self.incomplete }
        guard SQLName(table.text) != nil else {
            throw ValidationError("--table must be a name: table, schema.table or \"schema\".\"table\".")
        }
    }

    private static let incomplete = ValidationError(
        "--database requires --table, --id-column and --hash-column."
    )

    /// Connects to the database.
    ///
    /// - Parameter isReadOnly: Whether nothing is to be changed.
    /// - Returns: The database.
    /// - Throws: An error with the exit status of its reason.
    func connect(isReadOnly: Bool) throws -> UpgradeDatabase {
        guard let database else { throw Self.incomplete }
        return try UpgradeDatabase(database.text, isReadOnly: isReadOnly)
    }

    /// Finds the table and its columns, and checks that they can be upgraded in place, or else that they can be read.
    func find(
        _ columns: TableColumnOptions,
        isReadOnly: Bool,
        in database: UpgradeDatabase
    ) throws -> UpgradedTable {
        guard let name = table.flatMap({ SQLName($0.text) }), let idColumn = idColumn?.text,
            let hashColumn = columns.hashColumn
        else { throw Self.incomplete }
        return try UpgradedTable.find(
            name,
            idColumn: idColumn,
            hashColumn: hashColumn,
            saltColumn: columns.saltColumn,
            isReadOnly: isReadOnly,
            in: database
        )
    }
}
