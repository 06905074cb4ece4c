// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitPostgreSQL
import CredKitServer
import CredKitTerminal

/// The options that name a table of users in PostgreSQL.
struct UserTableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The PostgreSQL database with the users in place of a users file: postgresql://USER@HOST:PORT/DATABASE. The table is read at \
            each login. A server on another machine must have a trusted certificate (sslrootcert in the URL, or the system's).
            """,
            valueName: "url"
        )
    )
    var usersDatabase: String?

    @Option(
        help: ArgumentHelp(
            "A file with the password for --users-database (default: PGPASSFILE).",
            valueName: "file"
        )
    )
    var usersPasswordFile: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The table or view of the users, with its schema: schema.table or \"schema\".\"table\".",
            valueName: "name"
        )
    )
    var usersTable: String?

    @Option(help: ArgumentHelp("The column with the names of the users.", valueName: "column"))
    var usersNameColumn: String?

    @Option(
        help: ArgumentHelp(
            "The column with their credentials, as in a users file; users without one cannot log in.",
            valueName: "column"
        )
    )
    var usersCredentialColumn: String?

    @Option(
        help: ArgumentHelp(
            "A column with a whole number for each user, for answers (default: 0).",
            valueName: "column"
        )
    )
    var usersIDColumn: String?

    /// The options that require ``usersDatabase``.
    private var others: [(String, Bool)] {
        [
            ("--users-password-file", usersPasswordFile != nil), ("--users-table", usersTable != nil),
            ("--users-name-column", usersNameColumn != nil),
            ("--users-credential-column", usersCredentialColumn != nil),
            ("--users-id-column", usersIDColumn != nil),
        ]
    }

    func validate() throws {
        guard let usersDatabase else {
            if let option = others.first(where: \.1) {
                throw ValidationError("\(option.0) requires --users-database.")
            }
            return
        }
        guard !PostgreSQLSettings.containsPassword(usersDatabase) else {
            throw ValidationError(
                "--users-database must not contain a password, because other users see the command line; use --users-password-file."
            )
        }
        guard let usersTable, usersNameColumn != nil, usersCredentialColumn != nil else {
            throw ValidationError(
                "--users-database requires --users-table, --users-name-column and --users-credential-column."
            )
        }
        // In a search path, another role's table of the same name could be found first.
        guard SQLName(usersTable)?.schema != nil else {
            throw ValidationError(
                "--users-table must be a name with its schema: schema.table or \"schema\".\"table\", such as public.users."
            )
        }
    }

    /// Returns the table; `nil` if the users are in a file.
    ///
    /// - Throws: ``CommandFailure`` if the password cannot be read, or the database is not to be trusted.
    func accounts() throws -> PostgreSQLAccounts? {
        guard let usersDatabase, let usersTable, let usersNameColumn, let usersCredentialColumn,
            let name = SQLName(usersTable), let schema = name.schema
        else { return nil }
        var settings = PostgreSQLSettings(usersDatabase)
        settings.applicationName = "credkit-server users"
        settings.password = try usersPasswordFile.map { file in
            try SecretReader(
                file: file,
                descriptor: nil,
                option: "",
                prompt: "Password of the users' database: "
            )
            .readAll(keepsLineFeed: false)
        }
        let table = PostgreSQLAccounts.Table(
            name.table,
            schema: schema,
            name: usersNameColumn,
            credential: usersCredentialColumn,
            identifier: usersIDColumn
        )
        do throws(SharedStateError) {
            return PostgreSQLAccounts(try PostgreSQLClient(settings), table: table)
        } catch {
            throw CommandFailure(
                error.code == .missingLibrary ? .unavailable : .malformed,
                "--users-database: \(error)"
            )
        }
    }
}
