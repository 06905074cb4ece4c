// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// A program that uses the library for long while another one watches what it takes. `script/soak --clients` runs it.
///
/// It works until its standard input ends, and then prints what it did, as a line of JSON.
struct Soak {
    private static let isEnded = Atomic(false)

    /// What was done, and the first failure.
    actor Tally {
        private var counts: [String: Int] = [:]
        private var firstFailure: String?

        func add(_ name: String) { counts[name, default: 0] += 1 }

        func fail(_ text: String) {
            add("failures")
            firstFailure = firstFailure ?? text
        }

        func print() throws {
            var report: [String: Any] = counts
            report["firstFailure"] = firstFailure
            let line = try JSONSerialization.data(withJSONObject: report, options: .sortedKeys)
            FileHandle.standardOutput.write(line + Data("\n".utf8))
        }
    }

    static func run(_ arguments: ArraySlice<String>) async throws {
        // The threads of tasks are too few for one that blocks.
        Thread.detachNewThread {
            while readLine() != nil {}
            isEnded.store(true, ordering: .relaxed)
        }
        let tally = Tally()
        let rest = Array(arguments.dropFirst())
        do {
            switch (arguments.first, rest.count) {
            case ("session", 2): try await SessionSoak(server: rest[0], folder: rest[1], tally: tally).run()
            case ("vault", 3):
                try await VaultSoak(path: rest[0], keyFile: rest[1], name: rest[2], tally: tally).run()
            default:
                throw Failure(
                    description: "expected: soak session URL FOLDER, or soak vault PATH KEYFILE NAME"
                )
            }
        } catch {
            await tally.fail("at its begin or end: \(error)")
        }
        try await tally.print()
    }

    /// Repeats a step, with a pause after each one, until the program is to end. A step that fails is counted.
    static func repeating(
        pause: Duration,
        _ tally: Tally,
        _ step: (_ number: Int) async throws -> Void
    ) async {
        var number = 0
        while !isEnded.load(ordering: .relaxed) {
            do {
                try await step(number)
            } catch {
                await tally.fail("\(error)")
            }
            number += 1
            try? await Task.sleep(for: pause)
        }
    }
}
