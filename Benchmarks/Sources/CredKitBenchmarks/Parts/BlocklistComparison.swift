// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation

/// Opens and searches a filter of ten million words, and compares making and searching one with passwdqc's pwqfilter.
struct BlocklistComparison {
    private static let wordCount = 10_000_000
    /// Lines that are searched for, every other one on the list.
    private static let askedCount = 1_000_000
    private static let rounds = 3

    private let credkit: String
    private let folder: URL

    static func measure(_ options: Options) throws -> [Outcome] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-filter-\(getpid())"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let comparison = BlocklistComparison(credkit: try options.credkit, folder: folder)
        try comparison.writeLists()
        return [try comparison.build(), try comparison.search(), try comparison.look()]
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func run(_ script: String) throws -> Sample {
        try CommandRun(["sh", "-c", "cd \(folder.path) && \(script)"]).run()
    }

    private func writeLists() throws {
        _ = try run(
            """
            awk 'BEGIN { for (i = 0; i < \(Self.wordCount); i++) print "word " i * 7919 % 10000019 "!" }' > list
            awk 'NR % \(2 * Self.wordCount / Self.askedCount) == 0 { print; print $0 "?" }' list > asked
            """
        )
    }

    private func build() throws -> Outcome {
        let (ours, theirs) = ("credkit blocklist build", "pwqfilter --create")
        return try Comparison(
            id: "filter-build",
            title: "A filter of \(Self.wordCount) words",
            contenders: [
                Contender(name: ours) {
                    try run("rm -f own && \(credkit) blocklist build --output own list 2> /dev/null")
                },
                Contender(name: theirs) {
                    try run("pwqfilter --create=\(Self.wordCount / 19 * 20) -o other < list 2> /dev/null")
                },
            ],
            claims: [.time("filter-build", ours, theirs, atMost: nil)],
            rounds: Self.rounds
        ).measure()
    }

    private func search() throws -> Outcome {
        let (ours, theirs) = ("credkit blocklist check --lines", "pwqfilter --lookup")
        let commands = [
            (ours, "\(credkit) blocklist check --lines --filter other"), (theirs, "pwqfilter -f other"),
        ]
        for (index, (_, command)) in commands.enumerated() {
            _ = try run("\(command) < asked > answer\(index)")
        }
        _ = try run("cmp answer0 answer1 && test $(wc -l < answer0) = \(Self.askedCount / 2)")
        return try Comparison(
            id: "filter-search",
            title: "\(Self.askedCount) lines in a filter of \(Self.wordCount) words",
            contenders: commands.map { name, command in
                Contender(name: name) { try run("\(command) < asked > /dev/null") }
            },
            claims: [.time("filter-search", ours, theirs, atMost: nil)],
            rounds: Self.rounds
        ).measure()
    }

    private func look() throws -> Outcome {
        let openings = try (0..<101).map { _ in
            try clocked { try PasswordBlocklist(filter: path("own")).contains("password") ? -1 : 0 }.seconds
        }
        let list = try PasswordBlocklist(filter: path("own"))
        let words = (0..<100_000).map {
            Array("word \($0 * 7919 % 10_000_019)\($0 % 2 == 0 ? "!" : "?")".utf8)
        }
        let rounds = try (0..<11).map { _ in
            var found = 0
            let start = ThreadTime.seconds
            for word in words where try list.contains(word) { found += 1 }
            let time = ThreadTime.seconds - start
            guard found == words.count / 2 else { throw Failure(description: "the filter answers wrongly") }
            return time / Double(words.count)
        }
        return Outcome(
            id: "filter-look",
            title: "One word in a filter of \(Self.wordCount) words",
            ratios: [
                .value(
                    "filter-open",
                    Spread(openings).median * 1e3,
                    .milliseconds,
                    "opening it, and the first answer",
                    against: "a limit",
                    goal: .atMost(5)
                ),
                .value(
                    "filter-answer",
                    Spread(rounds).median * 1e6,
                    .microseconds,
                    "an answer",
                    against: "a limit",
                    goal: .atMost(1)
                ),
            ]
        )
    }
}
