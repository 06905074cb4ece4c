// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit
import Foundation

/// Upgrades a table of MD5 hashes to Argon2id, from process start to exit on all processors, and compares the time with that of
/// one libsodium process on each processor for as many hashes.
struct UpgradeComparison {
    private static let rowCount = 2000
    /// libsodium takes about twenty seconds on two processors.
    private static let rounds = 3

    static func measure(_ options: Options) throws -> Outcome {
        let credkit = try options.credkit
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-upgrade-\(getpid())"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let table = (0..<rowCount).map { "user\($0):\(Legacy.MD5.hash(data: "password \($0)".utf8).hex)\n" }
        try table.joined().write(to: folder.appendingPathComponent("in"), atomically: false, encoding: .utf8)
        func run(_ script: String) throws -> Sample {
            try CommandRun(["sh", "-c", "cd \(folder.path) && \(script)"]).run()
        }
        let upgrade = "rm -f out && \(credkit) upgrade --as md5 --input in --output out 2> /dev/null"
        let (ours, theirs) = ("credkit upgrade", "one libsodium process a processor")
        let processors = Int32(ProcessInfo.processInfo.activeProcessorCount)
        let outcome = try Comparison(
            id: "argon2id-upgrade",
            title: "\(rowCount) MD5 hashes to Argon2id of 19 MiB and 2 passes, on \(processors) processors",
            contenders: [
                Contender(name: ours) { try run(upgrade) },
                Contender(name: theirs) {
                    try clocked {
                        baseline_argon2id_sodium_processes(Int32(rowCount), processors, 19 << 10, 2)
                    }
                },
            ],
            claims: [.speed("argon2id-upgrade", ours, theirs, atLeast: 1.5)],
            rounds: rounds
        ).measure()
        // The parameters that libsodium was given.
        _ = try run("test $(grep -c 'm=19456,t=2,p=1' out) = \(rowCount)")
        return outcome
    }
}
