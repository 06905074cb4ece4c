// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measures what CredKit claims of its speed, each beside its alternative in the same run.
///
/// usage: CredKitBenchmarks CREDKIT [MEBIBYTES [REPORT.json]]
@main
struct CredKitBenchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let mebibytes = Int(arguments.count > 2 ? arguments[2] : "1024") else {
            print("usage: CredKitBenchmarks CREDKIT [MEBIBYTES [REPORT.json]]")
            exit(64)
        }
        let commands = CommandComparisons(
            credkit: arguments[1],
            folder: FileManager.default.temporaryDirectory.appendingPathComponent(
                "credkit-bench-\(getpid())"
            ),
            byteCount: mebibytes << 20
        )
        defer { commands.remove() }
        try commands.prepare()

        var outcomes: [Outcome] = []
        for comparison in [HMACComparison.make()] + commands.make() {
            let outcome = try comparison.measure()
            outcomes.append(outcome)
            print(outcome.table)
        }
        if arguments.count > 3 {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(outcomes).write(to: URL(fileURLWithPath: arguments[3]))
        }
        let missed = outcomes.flatMap(\.ratios).filter { !$0.isMet }
        print(
            missed.isEmpty
                ? "All ratios are as claimed." : "\(missed.count) ratios are below what is claimed."
        )
        if !missed.isEmpty { exit(1) }
    }
}

extension Outcome {
    /// The outcome for people: times as median and range, ratios as speed against the alternative.
    var table: String {
        var lines = ["\(title)"]
        for row in rows {
            let peak = row.peakKiB > 0 ? String(format: "%8.1f MiB at most", Double(row.peakKiB) / 1024) : ""
            let times = [row.seconds.median, row.seconds.minimum, row.seconds.maximum].map { $0 * 1000 }
            lines.append(
                String(
                    format: "  %9.2f ms (%.2f to %.2f)%@  %@",
                    times[0],
                    times[1],
                    times[2],
                    peak,
                    row.name
                )
            )
        }
        for ratio in ratios {
            lines.append(
                String(
                    format: "  %.2f x (%.2f to %.2f) the speed of %@; claimed: %.2f%@",
                    ratio.speed.median,
                    ratio.speed.minimum,
                    ratio.speed.maximum,
                    ratio.against,
                    ratio.minimum,
                    ratio.isMet ? "" : "  MISSED"
                )
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
