// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// The options of an upgrade of a table in PostgreSQL.
struct DatabaseUpgradeOptions: ParsableArguments {
    @OptionGroup
    var source: DatabaseTableOptions

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

    /// Rejects options that do not fit together.
    func check(
        _ columns: TableColumnOptions,
        input: FileArgument?,
        output: FileArgument?,
        resume: Bool
    ) throws {
        guard source.database != nil else {
            guard batch == nil, workers == nil, lease == nil else {
                throw ValidationError("--batch, --workers and --lease require --database.")
            }
            return try source.check(columns)
        }
        guard input == nil, output == nil, !resume else {
            throw ValidationError(
                "--database takes no --input, --output or --resume: the rows change in place, and a second run continues."
            )
        }
        try source.check(columns)
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
