// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit upgrade`: layers Argon2id over a table of legacy hashes, without the passwords.
struct UpgradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Upgrade a table of legacy hashes to Argon2id without knowing the passwords.",
        discussion: """
            For instance:
              credkit upgrade --input htpasswd --output htpasswd.new
              credkit upgrade --input users.csv --hash-column password --salt-column salt --from hex-md5 \
            --output users.new.csv

            Reads lines of the form user:hash, as in htpasswd and shadow files, or CSV. Writes the same records with \
            layered hashes, which 'credkit verify' and the library can verify. The input is never modified. An \
            interrupted run leaves OUTPUT.partial; continue it with --resume and the same options. Hashes that are \
            already safe, accounts without a password, and comments are copied unchanged; the lock mark before the \
            hash of a locked account is preserved. Records that cannot be interpreted or layered are copied \
            unchanged, too, but are reported and make the exit status 65.
            """
    )

    @Option(help: ArgumentHelp("The table to read.", valueName: "table"))
    var input: FileArgument

    @Option(help: ArgumentHelp("The table to write; it must not exist.", valueName: "table"))
    var output: FileArgument

    @Option(
        help: ArgumentHelp(
            "Layer only hashes of this scheme; may be repeated. hex-md5 and hex-hmac-md5 also declare the type of "
                + "bare hexadecimal hashes.",
            valueName: "scheme"
        )
    )
    var from: [String] = []

    @Flag(help: "Continue an interrupted run.")
    var resume = false

    @OptionGroup(title: "The table")
    var columns: TableColumnOptions

    @OptionGroup(title: "Bare hexadecimal hashes")
    var hexDigestOptions: LegacyHexOptions

    @Option(
        help: ArgumentHelp(
            "A cost of Argon2id, as in 'credkit hash argon2id'; may be repeated.",
            valueName: "cost"
        )
    )
    var cost: [String] = []

    @Option(help: ArgumentHelp("The total memory of all workers (default: 1GiB).", valueName: "size"))
    var memoryBudget: MemorySizeArgument?

    @OptionGroup(title: "Keys and limits")
    var hasherOptions: PasswordContextOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        guard !input.isStandardInput, !output.isStandardInput else {
            throw ValidationError(
                "--input and --output take files: an interrupted run must be able to read them again."
            )
        }
        let schemes = try schemes()
        _ = try CostArgument.parameters(of: .argon2id, cost)
        _ = try hexOrigin(schemes)
        try columns.check(input: input, hasHexDigests: !hexSchemes(schemes).isEmpty)
    }

    func run() throws {
        let parameters = try CostArgument.parameters(of: .argon2id, cost)
        var policy = PasswordPolicy.recommended
        policy.preferred = parameters
        let context = try hasherOptions.makeHasher(policy: policy)
        let budget = memoryBudget.map { $0.kibibytes * 1024 } ?? 1 << 30
        guard parameters.memory.bytes <= budget else {
            throw CommandFailure(.malformed, "one hash needs more memory than --memory-budget allows")
        }

        let source = try OpenTable(input)
        var reader = TableReader(
            descriptor: source.descriptor,
            format: columns.format(of: input),
            name: input.quoted
        )
        let layout = try columns.layout(source, input)
        let schemes = try schemes()
        let target = try TableOutput(output, isResuming: resume)
        try target.lock()
        var upgrader = TableUpgrader(
            upgrader: RecordUpgrader(
                context: context,
                schemes: schemes.isEmpty ? nil : Set(schemes),
                hexOrigin: try hexOrigin(schemes),
                hashField: layout.hashField,
                saltField: layout.saltField
            ),
            workerCount: min(Processors.count, max(1, budget / max(1, parameters.memory.bytes))),
            skipsHeader: layout.hasHeader,
            inputName: input.quoted
        )
        var meter = ProgressMeter(descriptor: source.descriptor, writesMeanwhile: false)
        var done = 0
        if resume {
            var written = TableReader(
                descriptor: target.descriptor,
                format: columns.format(of: input),
                name: target.partial.quoted,
                isReadBack: true
            )
            done = try upgrader.resume(&reader, target, &written, meter: &meter)
            meter.advance(by: reader.byteCount)
        }
        try upgrader.run(&reader, target, isAtStart: done == 0, meter: &meter)
        try target.finish()
        meter.finish()
        StandardStreams.report(
            "\(upgrader.layered) hashes layered, \(upgrader.kept) records kept, \(upgrader.problems) not understood"
        )
        if upgrader.problems > 0 { throw CommandFailure(.malformed) }
    }

    private func schemes() throws -> [PasswordHash.Scheme] {
        try from.map { name in
            guard name != "timestamped-login" else {
                throw ValidationError(
                    "Password-equivalents of a timestamped login cannot be layered: the server computes with them at "
                        + "every login, so they must stay unchanged until the last old client is gone. Have new "
                        + "clients send the password over TLS, and store a separate Argon2id hash for them."
                )
            }
            guard let scheme = PasswordHash.Scheme(name: name) else {
                throw ValidationError(
                    "--from: there is no scheme '\(name)'; 'credkit inspect' shows the scheme of a hash."
                )
            }
            return scheme
        }
    }

    private func hexSchemes(_ schemes: [PasswordHash.Scheme]) -> [PasswordHash.Scheme] {
        schemes.filter { $0 == .hexMD5 || $0 == .hexHMACMD5 }
    }

    private func hexOrigin(
        _ schemes: [PasswordHash.Scheme]
    ) throws -> (@Sendable ([UInt8]?) throws -> PasswordHash.LegacyHexAlgorithm)? {
        let declared = hexSchemes(schemes)
        guard declared.count < 2 else {
            throw ValidationError("--from: give only one of hex-md5 and hex-hmac-md5.")
        }
        guard let scheme = declared.first else {
            guard hexDigestOptions.isEmpty else {
                throw ValidationError(
                    "--salt, --position, --rounds and --key-id are valid only with --from hex-md5 or hex-hmac-md5."
                )
            }
            return nil
        }
        guard hexDigestOptions.salt == nil || columns.saltColumn == nil else {
            throw ValidationError("Give only one of --salt and --salt-column.")
        }
        let options = hexDigestOptions
        try options.check(scheme, hasSalts: columns.saltColumn != nil)
        return { salt in try options.origin(scheme, salt: salt) }
    }
}
