// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal

/// `credkit audit`: shows what a table of stored hashes holds.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show what a table of stored hashes holds.",
        discussion: """
            For instance:
              credkit audit htpasswd
              credkit audit users.csv --hash-column password --salt-column salt \\
                --as salted-md5

            Reads lines user:hash, as in htpasswd, passwd and shadow files, CSV or TSV. Prints the number of records of each \
            class, of accounts by scheme, cost and policy, and of those that share a password or a salt, and what 'credkit \
            upgrade' would take with the same options. No hash, salt or user name is printed.

            The column 'upgrade' is what happens next to the hashes: keep; rehash at the next login; layer now, \
            with 'credkit upgrade'; refuse. The exit status is 65 if a record cannot be verified.

            --database audits a table of PostgreSQL, and --as timestamp --to scram-sha-256 an upgrade of password-equivalents.
            """
    )

    @Argument(help: ArgumentHelp("The table; - for standard input.", valueName: "table"))
    var input: FileArgument?

    @Flag(help: "Exit with 1 if a hash can be upgraded, or must be replaced at the next login.")
    var failOnWeak = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @Option(
        help: ArgumentHelp("The folder of temporary files (default: TMPDIR, or /tmp).", valueName: "folder")
    )
    var temporaryFolder: FileArgument?

    @OptionGroup(title: "A table in PostgreSQL")
    var databaseOptions: DatabaseTableOptions

    @OptionGroup(title: "SCRAM verifiers")
    var scram: SCRAMUpgradeOptions

    @OptionGroup
    var options: UpgradeOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        try databaseOptions.check(options.columns)
        try scram.check(options)
        guard let input else {
            guard databaseOptions.database != nil else {
                throw ValidationError("Give the table to read, or a database with --database.")
            }
            if scram.function == nil { try options.checkHashes() }
            return
        }
        guard databaseOptions.database == nil else {
            throw ValidationError(
                "Give only one of a file and --database; a table of a database is named with --table."
            )
        }
        guard scram.function != nil else { return try options.check(input: input) }
        guard !input.isStandardInput else {
            throw ValidationError("With --to, give the table as a file, as for an upgrade.")
        }
        try options.columns.check(input: input)
    }

    func run() throws {
        let format = input.map(options.columns.format(of:)) ?? .csv
        if let target = try scram.target(format, limits: options.hasherOptions.limits) {
            return try auditEquivalents(target)
        }
        let (context, workerCount) = try options.makeHasher()
        let findings = try audit(context)
        let estimate = try UpgradeEstimate.measure(
            hashes: findings.audit.upgradedAccounts(only: options.schemes),
            context,
            workerCount: workerCount
        )
        let selection = AuditSelection(audit: findings.audit, schemes: options.schemes)
        try CommandOutput(json: json).print(
            AuditListing(findings, estimate, selection),
            text: AuditText(findings: findings, estimate: estimate, selection: selection).lines
        )
        let table = findings.audit
        if table.records(.unreadable) + findings.spannedLines.hiddenRecords > 0 {
            throw CommandFailure(.malformed)
        }
        let (upgradable, weak) = (selection.records(.upgradable), selection.records(.weak))
        if failOnWeak, upgradable + weak > 0 {
            throw CommandFailure(
                .no,
                "\(upgradable) hashes can be upgraded, \(weak) must be replaced at the next login"
            )
        }
    }

    private func audit(_ context: PasswordContext) throws -> TableFindings {
        guard let input else { return try auditDatabase(context) }
        let format = options.columns.format(of: input)
        let name = input.quotedForMessage
        let source = input.isStandardInput ? nil : try OpenTable(input, isReadOnce: true)
        defer { withExtendedLifetime(source) {} }
        let descriptor = source?.descriptor ?? 0
        var blocks = TableBlocks(descriptor: descriptor, format: format, name: name)
        let first = try blocks.next()
        let record = first.map { TableRecord(Array($0.bytes[$0.range(0)]), format: format) }
        let layout = try options.columns.layout(first: record, name: name)
        return try TableAuditor(
            PasswordTableAudit(context: context),
            blocks: blocks,
            first: first,
            fields: HashFieldReader(HashColumn(layout, options.bareHashOptions), format: format),
            skipsHeader: layout.hasHeader,
            temporaryFolder: folderOfFingerprints,
            meter: ProgressMeter(descriptor: descriptor, writesMeanwhile: false) { line in
                StandardStreams.report("\(name): \(line)")
            }
        ).run()
    }

    /// The folder of the temporary files.
    var folderOfFingerprints: FileArgument {
        temporaryFolder ?? FileArgument(argument: Environment.value("TMPDIR") ?? "/tmp")
    }
}
