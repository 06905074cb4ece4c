// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measures what CredKit claims, each beside its alternative in the same run.
///
/// usage: CredKitBenchmarks speed CREDKIT [MEBIBYTES [REPORT.json]]
///        CredKitBenchmarks load
///        CredKitBenchmarks timing [SAMPLES]
///        CredKitBenchmarks keychain CREDKIT [REPORT.json]    in a session with an unlocked keyring
///        CredKitBenchmarks growth
///        CredKitBenchmarks session
///        CredKitBenchmarks cookies [REPORT.json]
///        CredKitBenchmarks verifier
@main
struct CredKitBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let isAsClaimed: Bool
        switch arguments.first {
        case "speed": isAsClaimed = try measureSpeed(Array(arguments.dropFirst()))
        case "load": isAsClaimed = try await ServiceLoad.run()
        case "timing":
            let samples = arguments.dropFirst().first.flatMap { Int($0) } ?? 300
            isAsClaimed = try await UserEnumeration(samplesPerAccount: samples).run()
        case "keychain": isAsClaimed = try measureKeychain(Array(arguments.dropFirst()))
        case "session": isAsClaimed = try await SessionLoad.run()
        case "loopback-server":
            try LoopbackServer.run()
            return
        case "growth":
            try KeychainGrowth.run()
            return
        case "verifier":
            try VerifierLoad.run()
            return
        case "cookies":
            isAsClaimed = try measure(
                [CookieComparison.make()],
                report: arguments.dropFirst().first
            )
        default:
            print(
                "usage: CredKitBenchmarks speed CREDKIT [MEBIBYTES [REPORT.json]] | load | timing [SAMPLES] | "
                    + "keychain CREDKIT [REPORT.json] | growth | session | cookies [REPORT.json] | verifier"
            )
            exit(64)
        }
        print(isAsClaimed ? "All is as claimed." : "Something is not as claimed.")
        if !isAsClaimed { exit(1) }
    }

    private static func measureSpeed(_ arguments: [String]) throws -> Bool {
        guard let credkit = arguments.first, let mebibytes = Int(arguments.count > 1 ? arguments[1] : "1024")
        else {
            throw CommandRun.Failure(
                description: "usage: CredKitBenchmarks speed CREDKIT [MEBIBYTES [REPORT.json]]"
            )
        }
        let commands = CommandComparisons(
            credkit: credkit,
            folder: FileManager.default.temporaryDirectory.appendingPathComponent(
                "credkit-bench-\(getpid())"
            ),
            byteCount: mebibytes << 20
        )
        defer { commands.remove() }
        try commands.prepare()

        return try measure(
            [HMACComparison.make()] + Argon2idComparison.make() + commands.make(),
            report: arguments.count > 2 ? arguments[2] : nil
        )
    }

    private static func measureKeychain(_ arguments: [String]) throws -> Bool {
        guard let credkit = arguments.first else {
            throw CommandRun.Failure(description: "usage: CredKitBenchmarks keychain CREDKIT [REPORT.json]")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-bench-\(getpid())"
        )
        let keychain = KeychainComparisons(credkit: credkit, folder: folder)
        defer { keychain.remove() }
        return try measure(keychain.make(), report: arguments.count > 1 ? arguments[1] : nil)
    }

    private static func measure(_ comparisons: [Comparison], report: String?) throws -> Bool {
        var outcomes: [Outcome] = []
        for comparison in comparisons {
            let outcome = try comparison.measure()
            outcomes.append(outcome)
            print(outcome.table)
        }
        if let report {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(outcomes).write(to: URL(fileURLWithPath: report))
        }
        return outcomes.flatMap(\.ratios).allSatisfy { $0.isMet }
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
