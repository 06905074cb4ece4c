// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The table, costs and keys of an upgrade: of `credkit upgrade`, and of `credkit audit`, which estimates one.
struct UpgradeOptions: ParsableArguments {
    @OptionGroup(title: "The table")
    var columns: TableColumnOptions

    @Option(
        help: ArgumentHelp(
            "Upgrade only hashes of this scheme, of 'credkit help formats'; may be repeated (default: all weak ones).",
            valueName: "scheme"
        ),
        completion: .list(SchemeArgument.names),
        transform: Self.scheme
    )
    var only: [SchemeArgument] = []

    private static func scheme(_ name: String) throws -> SchemeArgument {
        guard let scheme = SchemeArgument(name) else {
            let nearest = NearestWord.to(name, among: SchemeArgument.names)
            throw ValidationError(
                "--only takes a scheme of 'credkit help formats'"
                    + (nearest.map { "; did you mean '\($0)'?" } ?? ".")
            )
        }
        return scheme
    }

    /// The schemes to upgrade; `nil` for all.
    var schemes: Set<PasswordHash.Scheme>? { only.isEmpty ? nil : Set(only.map(\.scheme)) }

    @OptionGroup(title: "Bare hexadecimal hashes")
    var bareHashOptions: BareHashOptions

    @OptionGroup(title: "Costs of the new hashes")
    var costs: Argon2idCostOptions

    @Option(help: ArgumentHelp("The total memory of all workers (default: 1GiB).", valueName: "size"))
    var memoryBudget: MemorySizeArgument?

    @OptionGroup(title: "Keys and limits")
    var hasherOptions: PasswordContextOptions

    func check(input: FileArgument) throws {
        try checkHashes()
        try columns.check(input: input)
        // Layered without its salt, a hash would be lost.
        let hasSaltInHash = columns.saltColumn == nil && bareHashOptions.hasSaltInHash
        guard !hasSaltInHash || bareHashOptions.separator != columns.format(of: input).separator else {
            throw ValidationError(
                "The character before a salt separates the fields of this table, so that the salt is a field of its own; "
                    + "give its number with --salt-column (for hashes without a salt, --as md5, sha1 …)."
            )
        }
    }

    /// Rejects costs and descriptions of hashes that are invalid.
    func checkHashes() throws {
        _ = try costs.parameters(of: .argon2id)
        try bareHashOptions.check(hasSalts: columns.saltColumn != nil)
    }

    /// Creates the context, and returns it with the number of workers that the memory suffices for.
    func makeHasher() throws -> (context: PasswordContext, workerCount: Int) {
        let parameters = try costs.parameters(of: .argon2id)
        var policy = PasswordPolicy.recommended
        policy.preferred = parameters
        let context = try hasherOptions.makeHasher(policy: policy)
        let budget = memoryBudget?.size.bytes ?? 1 << 30
        guard parameters.memory.bytes <= budget else {
            throw CommandFailure(.malformed, "one hash needs more memory than --memory-budget allows")
        }
        return (context, LayeringBatch.workerCount(parameters, memoryBudget: budget))
    }
}
