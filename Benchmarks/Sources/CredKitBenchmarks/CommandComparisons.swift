// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation

/// Whole commands on a large file, beside the tools that they stand in for.
struct CommandComparisons {
    /// The static release build of the command.
    let credkit: String
    /// Where the files go.
    let folder: URL
    /// The size of the large file in bytes.
    let byteCount: Int

    private var data: String { folder.appendingPathComponent("data").path }
    private var text: String { folder.appendingPathComponent("data.b64").path }
    private var empty: String { folder.appendingPathComponent("empty").path }

    /// Writes the files: random bytes, their Base64, and nothing.
    func prepare() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for path in [data, text, empty] {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forWritingAtPath: data) else { throw CocoaError(.fileWriteUnknown) }
        for start in stride(from: 0, to: byteCount, by: 1 << 20) {
            try file.write(contentsOf: SecureRandom.bytes(count: min(1 << 20, byteCount - start)))
        }
        try file.close()
        _ = try CommandRun(["base64", data], output: text).run()
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    func make() -> [Comparison] {
        let size = "\(byteCount >> 20) MiB"
        return [
            comparison(
                "command-md5",
                "MD5 of \(size)",
                [credkit, "hash", "md5", data],
                ["md5sum", data],
                minimumSpeed: 0.95
            ),
            comparison(
                "command-base64-encode",
                "Base64 of \(size)",
                [credkit, "base64", data],
                ["base64", data],
                minimumSpeed: 0.4
            ),
            comparison(
                "command-base64-decode",
                "Base64 back to \(size)",
                [credkit, "base64", "-d", text],
                ["base64", "-d", text],
                minimumSpeed: 1
            ),
            comparison(
                "command-start",
                "MD5 of an empty file, from start to end",
                [credkit, "hash", "md5", empty],
                ["openssl", "dgst", "-md5", empty],
                minimumSpeed: 1 / 3.0,
                rounds: 41
            ),
        ]
    }

    private func comparison(
        _ id: String,
        _ title: String,
        _ ours: [String],
        _ theirs: [String],
        minimumSpeed: Double,
        rounds: Int = 7
    ) -> Comparison {
        func contender(_ command: [String]) -> Contender {
            let name = command.map { $0.split(separator: "/").last.map(String.init) ?? $0 }.joined(
                separator: " "
            )
            return Contender(name: name) { try CommandRun(command).run() }
        }
        return Comparison(
            id: id,
            title: title,
            ours: contender(ours),
            alternatives: [.init(contender: contender(theirs), goal: .init(minimumSpeed: minimumSpeed))],
            rounds: rounds
        )
    }
}
