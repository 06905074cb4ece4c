// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal

/// `credkit upgrade`: layers Argon2id over a table of legacy hashes, or makes SCRAM verifiers of password-equivalents, without
/// the passwords.
struct UpgradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Upgrade a table of legacy hashes without knowing the passwords.",
        discussion: """
            For instance:
              credkit upgrade --input users --as md5 --output users.new
              credkit upgrade --input users.csv --hash-column password \\
                --salt-column salt --as salted-md5 --output users.new.csv
              credkit upgrade --input htpasswd --output htpasswd.new --allow-incompatible

            Reads lines user:hash, as in htpasswd and shadow files, CSV or TSV. Writes the same records with Argon2id layered \
            over weak hashes, which 'credkit verify', credkit-server and the library verify. The input is never modified. \
            All other records are copied. Those with a weak hash that only the next login can replace, or with one that \
            cannot be verified, are reported, and the exit status is 65.

            --database upgrades a table of PostgreSQL in place, while users log in. --to scram-sha-256 makes SCRAM verifiers \
            of the password-equivalents of a timestamped login. --shard 1/2 and --shard 2/2 upgrade halves on two machines, \
            and --join joins their outputs, with the same other options.
            """
    )

    @Option(help: ArgumentHelp("The table to read.", valueName: "table"))
    var input: FileArgument?

    @Option(help: ArgumentHelp("The table to write; it must not exist.", valueName: "table"))
    var output: FileArgument?

    @Flag(help: "Continue an interrupted run, with the same options.")
    var resume = false

    @Flag(
        help:
            "Layer also hashes that crypt(3), htpasswd, nginx, PHP, Dovecot or LDAP servers read, and then cannot read any more."
    )
    var allowIncompatible = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup
    var shards: ShardOptions

    @OptionGroup(title: "A table in PostgreSQL")
    var databaseOptions: DatabaseUpgradeOptions

    @OptionGroup(title: "SCRAM verifiers")
    var scram: SCRAMUpgradeOptions

    @OptionGroup
    var options: UpgradeOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        try shards.check(
            isDatabase: databaseOptions.source.database != nil,
            hasInput: input != nil,
            resume: resume
        )
        try databaseOptions.check(options.columns, input: input, output: output, resume: resume)
        try scram.check(options)
        guard let input else {
            guard databaseOptions.source.database != nil else {
                throw ValidationError("Give the table to read with --input, or a database with --database.")
            }
            if scram.function == nil { try options.checkHashes() }
            return
        }
        guard output != nil else {
            throw ValidationError(
                "Give the table to write with --output ('credkit audit' shows what an upgrade would do)."
            )
        }
        guard !input.isStandardInput, output?.isStandardInput != true else {
            throw ValidationError(
                "--input and --output take files: an interrupted run must be able to read them again."
            )
        }
        if scram.function == nil {
            try options.check(input: input)
        } else {
            try options.columns.check(input: input)
        }
    }

    func run() throws {
        if let input { try upgrade(input) } else { try upgradeDatabase() }
    }

    private func upgrade(_ input: FileArgument) throws {
        let format = options.columns.format(of: input)
        let toSCRAM = try scram.target(format, limits: options.hasherOptions.limits)
        let (target, workerCount) = try toSCRAM.map { ($0, Processors.count) } ?? layering()
        let source = try OpenTable(input)
        let layout = try options.columns.layout(source, input)
        let records = RecordUpgrader(target: target, column: HashColumn(layout, options.bareHashOptions))
        let preview = try TablePreview(
            source,
            format: format,
            name: input.quoted,
            skipsHeader: layout.hasHeader,
            allowsIncompatible: allowIncompatible,
            records
        )
        try preview.check(input.quoted, options.bareHashOptions)
        var upgrader = TableUpgrader(
            upgrader: records,
            workerCount: workerCount,
            skipsHeader: layout.hasHeader,
            inputName: input.quoted,
            shard: shards.shard
        )
        let total = preview.recordCount.map { (shards.shard ?? .all).recordCount(of: $0) }
        var meter = ProgressMeter(.records, total: total) { [name = input.quoted] line in
            StandardStreams.report("\(name): \(line)")
        }
        if let output, !shards.join.isEmpty {
            try join(to: output, from: source, input, preview, &upgrader, &meter)
        } else if let output {
            try write(to: output, from: source, input, preview, &upgrader, &meter)
        }
        meter.finish()
        upgrader.spannedLines.report(input.quoted)
        try UpgradeReport(
            counts: upgrader.counts,
            scram: toSCRAM,
            spannedLines: upgrader.spannedLines
        ).print(json: json)
        if let message = upgrader.remainder.message(input.quoted, place: "record") {
            throw CommandFailure(.malformed, message)
        }
        if upgrader.spannedLines.hiddenRecords > 0 { throw CommandFailure(.malformed) }
    }

    /// Returns the layering of Argon2id, and the number of workers that the memory suffices for.
    func layering() throws -> (any UpgradeTarget, Int) {
        let (context, workerCount) = try options.makeHasher()
        return (Argon2idUpgrade(context: context, schemes: options.schemes), workerCount)
    }

    private func write(
        to output: FileArgument,
        from source: OpenTable,
        _ input: FileArgument,
        _ preview: TablePreview,
        _ upgrader: inout TableUpgrader,
        _ meter: inout ProgressMeter
    ) throws {
        let format = options.columns.format(of: input)
        var reader = TableReader(descriptor: source.descriptor, format: format, name: input.quoted)
        let target = try TableOutput(output, isResuming: resume)
        try target.lock()
        var note: TableOutputNote
        if resume, try !target.isEmpty() {
            note = try target.openNote()
            let entries = try note.entries()
            guard !InputPrefix.isOtherShard(shards.shard, in: entries) else {
                throw CommandFailure(
                    .malformed,
                    "\(target.partial.quoted): the interrupted run had another --shard, or none; resume it with its own "
                        + "options, or remove the file. Nothing was changed"
                )
            }
            guard let limit = try InputPrefix.longest(of: &reader, in: entries, shards.shard) else {
                throw CommandFailure(
                    .malformed,
                    "\(input.quoted): records were changed since \(target.partial.quoted) was made of them; remove that, and run "
                        + "the command without --resume. Nothing was changed"
                )
            }
            try source.rewind()
            reader = TableReader(descriptor: source.descriptor, format: format, name: input.quoted)
            var written = TableReader(
                descriptor: target.descriptor,
                format: format,
                name: target.partial.quoted,
                isReadBack: true
            )
            try upgrader.resume(&reader, target, &written, limit: limit, meter: &meter)
        } else {
            note = try target.makeNote()
            try note.write(InputPrefix(of: shards.shard).entry)
        }
        if preview.isLayered { preview.readers.report() }
        try upgrader.run(&reader, target, &note, meter: &meter)
        try upgrader.writeHeader(target)
        try target.finish()
    }
}
