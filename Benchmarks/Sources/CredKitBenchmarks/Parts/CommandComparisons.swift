// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation

/// Compares commands, from process start to exit, with the tools that they replace.
struct CommandComparisons {
    /// The two commands, and their input files.
    private struct Pair {
        let id: String
        let title: String
        let ours: [String]
        let theirs: [String]
        let paths: [String]
        /// The input for the check that both print the same: a few mebibytes prove as much as a gibibyte.
        let checked: [String]
        let quantity: Ratio.Quantity
        let goal: Goal?
        let rounds: Int
    }

    /// A gibibyte takes each of them 0.3 to 4 seconds, longer than any disturbance: the median of 5 rounds changes by 3
    /// % between runs.
    private static let largeRounds = 5
    /// 10,000 files take a tenth of a second.
    private static let manyRounds = 15
    /// Comparisons without a claim have fewer rounds.
    private static let informingRounds = 3
    /// A start takes milliseconds, and one in ten is disturbed.
    private static let startRounds = 41

    private let credkit: String
    private let files: CommandFiles

    static func measure(_ options: Options) throws -> [Outcome] {
        let credkit = try options.credkit
        let files = try CommandFiles(mebibytes: options.mebibytes)
        defer { files.remove() }
        return try CommandComparisons(credkit: credkit, files: files).measure()
    }

    private func measure() throws -> [Outcome] {
        var outcomes = try (large() + many()).map { try measure($0) }
        let (md5, md5sum) = ([credkit, "hash", "md5"], ["md5sum"])
        outcomes.append(
            Outcome(
                id: "command-memory",
                title: "Memory",
                ratios: [
                    try memory("command-md5-memory", md5, md5sum, [files.data], .atMost(32)),
                    try memory("command-md5-64-files-memory", md5, md5sum, files.large, nil),
                ]
            )
        )
        return outcomes
    }

    /// One large file, and an empty one.
    private func large() -> [Pair] {
        let size = "\(files.mebibytes) MiB"
        let sample = files.large[0]
        func pair(
            _ id: String,
            _ title: String,
            _ ours: [String],
            _ theirs: [String],
            _ path: String,
            _ checked: String,
            _ bound: Double
        ) -> Pair {
            Pair(
                id: id,
                title: title,
                ours: [credkit] + ours,
                theirs: theirs,
                paths: [path],
                checked: [checked],
                quantity: .speed,
                goal: .atLeast(bound),
                rounds: Self.largeRounds
            )
        }
        return [
            pair("command-md5", "MD5 of \(size)", ["hash", "md5"], ["md5sum"], files.data, sample, 0.95),
            pair(
                "command-base64-encode",
                "Base64 of \(size)",
                ["base64"],
                ["base64"],
                files.data,
                sample,
                1.5
            ),
            pair(
                "command-base64-decode",
                "Base64 back to \(size)",
                ["base64", "-d"],
                ["base64", "-d"],
                files.text,
                files.shortText,
                1.5
            ),
            Pair(
                id: "command-start",
                title: "MD5 of an empty file",
                ours: [credkit, "hash", "md5"],
                theirs: ["openssl", "dgst", "-md5"],
                paths: [files.empty],
                checked: [files.empty],
                quantity: .time,
                goal: .atMost(1.3),
                rounds: Self.startRounds
            ),
        ]
    }

    /// Many files, on one core and on all cores. The claim for large files is tested on one core, and the one for small
    /// files on two, because opening them takes most of the time.
    private func many() throws -> [Pair] {
        let pin = try ProcessorPin.prefix()
        return [(pin, "", "on one core"), ([], "-unpinned", "on all cores")].flatMap {
            prefix,
            suffix,
            place in
            [
                ("64", "64 files of 16 MiB", files.large, prefix.isEmpty ? nil : 4.0, Self.largeRounds),
                ("10000", "10,000 files of 1 KiB", files.small, prefix.isEmpty ? 2.0 : 1.3, Self.manyRounds),
            ].map { id, title, paths, bound, rounds in
                Pair(
                    id: "command-md5-\(id)-files\(suffix)",
                    title: "MD5 of \(title), \(place)",
                    ours: prefix + [credkit, "hash", "md5"],
                    theirs: prefix + ["md5sum"],
                    paths: paths,
                    checked: paths,
                    quantity: .speed,
                    goal: bound.map { .atLeast($0) },
                    rounds: bound == nil ? Self.informingRounds : rounds
                )
            }
        }
    }

    private func measure(_ pair: Pair) throws -> Outcome {
        let commands = [pair.ours, pair.theirs]
        try checkOutputs(pair)
        let byteCount = pair.paths.reduce(0) { $0 + files.byteCount(of: $1) }
        let names = commands.map { shown($0 + (pair.paths.count > 1 ? ["…"] : pair.paths)) }
        return try Comparison(
            id: pair.id,
            title: pair.title,
            contenders: zip(names, commands).map { name, command in
                Contender(name: name, byteCount: byteCount) { try CommandRun(command + pair.paths).run() }
            },
            claims: [
                Claim(
                    id: pair.id,
                    ours: names[0],
                    against: names[1],
                    quantity: pair.quantity,
                    goal: pair.goal
                )
            ],
            rounds: pair.rounds
        ).measure()
    }

    /// Both must print the same before their speed is compared.
    private func checkOutputs(_ pair: Pair) throws {
        let nothing = Data(Legacy.MD5.hash(data: []).hex.utf8)
        let outputs = try [pair.ours, pair.theirs].map { command in
            _ = try CommandRun(command + pair.checked, output: files.output).run()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: files.output))
            // openssl prints the digest in a different format.
            let isBare = pair.theirs.contains("openssl") && bytes.firstRange(of: nothing) != nil
            return Legacy.MD5.hash(data: isBare ? nothing : bytes)
        }
        guard outputs[0] == outputs[1] else {
            throw Failure(description: "\(pair.id): the two commands do not print the same")
        }
    }

    private func memory(
        _ id: String,
        _ ours: [String],
        _ theirs: [String],
        _ paths: [String],
        _ goal: Goal?
    ) throws -> Ratio {
        let peaks = try [ours, theirs].map { Double(try CommandRun($0 + paths).peakKiB()) / 1024 }
        return .value(
            id,
            peaks[0],
            .mebibytes,
            "memory of \(shown(ours + paths.prefix(1)))\(paths.count > 1 ? " …" : "")",
            against: String(format: "%.1f MiB of ", peaks[1]) + theirs[0],
            goal: goal
        )
    }

    /// Returns a command with the base names of programs and files.
    private func shown(_ command: [String]) -> String {
        command.map { $0.split(separator: "/").last.map(String.init) ?? $0 }.joined(separator: " ")
    }
}
