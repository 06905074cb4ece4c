// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation

/// Input files for commands, in a folder that is removed at the end.
struct CommandFiles {
    /// Files of 16 MiB, and files of 1 KiB.
    static let largeCount = 64, largeByteCount = 16 << 20
    static let smallCount = 10_000, smallByteCount = 1 << 10

    let mebibytes: Int
    private let folder: URL

    /// The large file, its Base64, the Base64 of the first of the other files, and an empty file.
    var data: String { path("data") }
    var text: String { path("data.b64") }
    var shortText: String { path("0.b64") }
    var empty: String { path("empty") }
    var large: [String] { (0..<Self.largeCount).map { path("large/\($0)") } }
    var small: [String] { (0..<Self.smallCount).map { path("small/\($0)") } }
    /// The path of the commands' output.
    var output: String { path("output") }

    /// Writes the files. They stay in the page cache, where they need 3 to 4 times the size of the large file.
    init(mebibytes: Int) throws {
        self.mebibytes = mebibytes
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("credkit-bench-\(getpid())")
        do {
            for name in ["large", "small"] {
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent(name),
                    withIntermediateDirectories: true
                )
            }
            let block = SecureRandom.bytes(count: Self.largeByteCount)
            try write(mebibytes << 20, of: block, to: data)
            try write(0, of: block, to: empty)
            for path in large { try write(Self.largeByteCount, of: block, to: path) }
            for path in small { try write(Self.smallByteCount, of: block, to: path) }
            _ = try CommandRun(["base64", data], output: text).run()
            _ = try CommandRun(["base64", large[0]], output: shortText).run()
            // Flush the files, so that the disk is idle during the measurement.
            sync()
        } catch {
            remove()
            throw error
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    func byteCount(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int ?? 0
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Repeated random bytes: the measured commands' speed does not depend on the content.
    private func write(_ byteCount: Int, of block: [UInt8], to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw Failure(description: "\(path) cannot be written") }
        for start in stride(from: 0, to: byteCount, by: block.count) {
            // Contains the name, so that no two files are equal.
            let count = min(block.count, byteCount - start)
            let name = Array(path.utf8.prefix(count))
            try file.write(contentsOf: name + block[..<(count - name.count)])
        }
        try file.close()
    }
}
