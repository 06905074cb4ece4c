// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import Foundation

/// Measures each of CredKit's claims together with its alternative in the same run. `script/bench` runs all parts.
@main
struct CredKitBenchmarks {
    private static let usage = """
        usage: CredKitBenchmarks PART [--root FOLDER] [--mebibytes COUNT] [--json FILE]
               CredKitBenchmarks report [--root FOLDER] [--json FILE]
                                        [--reference FILE [--update-reference]] PART…
        The root is that of the repository, by default the current folder.
        parts: \(Part.allCases.map(\.rawValue).joined(separator: " "))
          base64 and sizes need python with pybase64, cache with hishel and requests-cache, signing with
          http-message-signatures, commands needs the command, keychain both the command and a session with an
          unlocked keyring.

        """

    static func main() async {
        // When a co-process exits early, writing to it must return an error instead of raising a fatal signal.
        signal(SIGPIPE, SIG_IGN)
        baseline_print_by_line()
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("\(error)\n")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let rest = arguments.dropFirst()
        switch arguments.first {
        // Child processes of other parts, and of script/soak.
        case "worker" where rest.count == 1: try Worker.run(rest[1])
        case "argon2-worker": try Argon2Worker.run(rest)
        case "requests": try await SessionLoad.serve(rest)
        case "soak": try await Soak.run(rest)
        case "report":
            guard let options = Options(rest, acceptsReport: true) else { return misused() }
            if try !Report(options).conclude(options) { exit(1) }
        case let name:
            guard let part = name.flatMap({ Part(rawValue: $0) }),
                let options = Options(rest, acceptsReport: false)
            else { return misused() }
            let start = ContinuousClock.now
            let (outcomes, sizes) = try await part.measure(options)
            let seconds = start.duration(to: .now) / .seconds(1)
            for outcome in outcomes { print(outcome.text) }
            print(String(format: "%@ took %.1f s\n", part.rawValue, seconds))
            if let path = options.json {
                try Fragment(part: part.rawValue, seconds: seconds, outcomes: outcomes, sizes: sizes)
                    .write(to: path)
            }
        }
    }

    private static func misused() {
        complain(usage)
        exit(64)
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
