// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CBaseline
import CredKit
import Foundation

/// Converts a table of password-equivalents to SCRAM verifiers, from process start to exit, and compares the time with that of
/// OpenSSL's PBKDF2 for as many rows, on as many threads as there are processors.
struct SCRAMComparison {
    private static let rowCount = 100_000
    private static let iterations = 4096
    /// OpenSSL takes more than half a minute on two processors.
    private static let rounds = 3

    static func measure(_ options: Options) throws -> [Outcome] {
        let credkit = try options.credkit
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-scram-\(getpid())"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let login = Legacy.TimestampedLogin(keyPhrase: "itheima")
        let table = (0..<rowCount).map {
            "user\($0):\(login.passwordEquivalent(for: "password \($0)").hex)\n"
        }
        try table.joined().write(to: folder.appendingPathComponent("in"), atomically: false, encoding: .utf8)
        func run(_ script: String) throws -> Sample {
            try CommandRun(["sh", "-c", "cd \(folder.path) && \(script)"]).run()
        }
        let convert =
            "rm -f out && \(credkit) upgrade --as timestamp --to scram-sha-256 --iterations \(iterations) "
            + "--input in --output out 2> /dev/null"
        let (ours, theirs) = ("credkit upgrade --to scram-sha-256", "PKCS5_PBKDF2_HMAC in C")
        let processors = Int32(ProcessInfo.processInfo.activeProcessorCount)
        let outcome = try Comparison(
            id: "scram-upgrade",
            title: "\(rowCount) password-equivalents to SCRAM verifiers of \(iterations) iterations",
            contenders: [
                Contender(name: ours) { try run(convert) },
                Contender(name: theirs) {
                    try clocked { baseline_pbkdf2(Int32(rowCount), Int32(iterations), processors) }
                },
            ],
            claims: [.speed("scram-upgrade", ours, theirs, atLeast: 3)],
            rounds: rounds
        ).measure()
        _ = try run("test $(grep -c '\\$layered-scram\\$' out) = \(rowCount)")
        return [outcome]
    }
}
