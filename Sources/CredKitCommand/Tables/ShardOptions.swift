// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// The options of an upgrade that several machines share.
struct ShardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Upgrade only part K of N of the records, and write a part for --join.",
            valueName: "k/n"
        )
    )
    var shard: Shard?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Join the parts of all N shards, in any order, to the output.", valueName: "part")
    )
    var join: [FileArgument] = []

    /// Rejects options that do not fit together.
    func check(isDatabase: Bool, hasInput: Bool, resume: Bool) throws {
        guard shard != nil || !join.isEmpty else { return }
        guard !isDatabase else {
            throw ValidationError(
                "--shard and --join are for files: any number of commands with --database share its rows by themselves."
            )
        }
        guard shard == nil || join.isEmpty else {
            throw ValidationError("Give only one of --shard and --join.")
        }
        guard !join.isEmpty else { return }
        guard hasInput, !resume else {
            throw ValidationError(
                "--join requires --input and --output, and takes no --resume: it computes no hash."
            )
        }
        guard join.count <= Shard.maximumCount else {
            throw ValidationError("There can be \(Shard.maximumCount) parts at most.")
        }
        guard !join.contains(where: \.isStandardInput) else {
            throw ValidationError("--join takes files: all parts are read at the same time.")
        }
    }
}
