// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import Foundation

/// Prints the cost of growing vaults as a table for the docs.
enum KeychainGrowth {
    static func measure() throws -> [Outcome] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-growth-\(getpid())"
        )
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        print("| items | open with a key, get one | get | set | set 100 at once | file |")
        print("|---|---|---|---|---|---|")
        var outcomes: [Outcome] = []
        for count in [10, 100, 1000, 10_000, 100_000] {
            let path = folder.appendingPathComponent("\(count)").path
            let sample = try SampleVault(path: path, count: count, isByPassphrase: false)
            let middle = SampleVault.key(count / 2)
            let open = try times(of: 11) {
                let vault = try sample.open()
                _ = try Blocking.run { try await vault.credential(for: middle) }
            }
            let vault = try sample.open()
            let get = try times(of: 101) { _ = try Blocking.run { try await vault.credential(for: middle) } }
            let set = try times(of: 21) {
                try Blocking.run { try await vault.set(SampleVault.credential(count / 2)) }
            }
            let many = try (0..<100).map {
                CredentialChange.set(try SampleVault.credential($0 * count / 100))
            }
            let batch = try times(of: 11) { try Blocking.run { try await vault.update(many) } }
            let rows = zip(
                ["open with a key, get one", "get", "set", "set 100 at once"],
                [open, get, set, batch]
            )
            .map { Outcome.Row(name: $0, seconds: $1) }
            let times = rows.map { String(format: "%.2f ms", $0.seconds.median * 1000) }
                .joined(separator: " | ")
            let size = String(format: "%.1f", Double(sample.byteCount) / 1024)
            print("| \(count) | \(times) | \(size) KiB |")
            outcomes.append(
                Outcome(id: "growth-\(count)", title: "A vault of \(count) items, \(size) KiB", rows: rows)
            )
        }
        return outcomes
    }

    private static func times(of count: Int, _ body: () throws -> Void) throws -> [Double] {
        try (0..<count).map { _ in
            try clocked {
                try body()
                return 0
            }.seconds
        }
    }
}
